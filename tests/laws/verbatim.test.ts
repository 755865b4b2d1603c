/** The verbatim lane changes no byte outside its listed edits: checked member by member on the raw text. */
import type { Json, JsonObject } from '@trivium/protocol/canonical';
import type { TargetFacts } from '@trivium/protocol/dialects';
import { DEFAULT_JSON_BOUNDS, parseUntrustedObject, scanMembers, splice } from '@trivium/protocol/framing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../support/nightly.ts';
import { expectOnlyEdits, rawMembers } from '../support/only-edits.ts';
import { chat, contextOf, factsOf, fixtures } from './fixture-set.ts';

const DEPTH = 64;

function checkRequest(text: string, facts: TargetFacts): boolean {
  const { value, members } = parseUntrustedObject(text, { ...DEFAULT_JSON_BOUNDS, depth: DEPTH });
  const request = chat.server.understand(value as JsonObject).verbatim(facts);
  if ('why' in request) return false;
  const sent = splice(text, members, request.edits);
  expectOnlyEdits(text, sent, request.edits);
  expect(JSON.parse(sent)).toMatchObject({ model: 'upstream-model' });
  return true;
}

describe.each(fixtures)('$name', ({ requestText, request, answerText, answer, facts }) => {
  test('a verbatim request differs only in its listed edits', () => {
    const compact = JSON.stringify(request);
    const verbatim = checkRequest(requestText, facts);
    expect(checkRequest(compact, facts)).toBe(verbatim);
    expect(verbatim).toBe(!('why' in chat.server.understand(request).verbatim(facts)));
  });

  test.each([{ hideReasoning: false }, { hideReasoning: true }])(
    'a verbatim whole answer differs only in its listed edits, with %o',
    (responseOptions) => {
      const { patch } = chat.verbatim.answer(answer, contextOf(responseOptions), facts);
      if (patch.kind !== 'pass') throw new Error('an answer is never dropped');
      const edited = splice(answerText, scanMembers(answerText, DEPTH), patch.edits);
      expectOnlyEdits(answerText, edited, patch.edits);
      expect(patch.edits.map(({ name }) => name).filter((name) => !EDITABLE.has(name))).toEqual([]);
      expect(JSON.parse(edited)).toMatchObject({ id: 'chatcmpl-01FIXTURE', model: 'maker/model' });
    },
  );
});

/** The table of docs and `verbatim-answer.ts`, as names of top-level members. */
const EDITABLE = new Set(['id', 'object', 'created', 'model', 'system_fingerprint', 'choices']);

test('only the scenarios that need it are rebuilt', () => {
  const rebuilt = fixtures.filter(({ request, facts }) => 'why' in chat.server.understand(request).verbatim(facts));
  expect(rebuilt.map(({ name }) => name)).toEqual(['function-call-history']);
});

/** JSON text with everything a printer would change: number spellings, escapes, spaces, odd and long keys. */
const space = fc.constantFrom('', ' ', '\n', '\t ', '\r\n  ');
const numberText = fc.constantFrom(
  '0',
  '-0',
  '1.0',
  '1e2',
  '1E+2',
  '100000000000000000000',
  '9007199254740993',
  '0.10',
  '-1.5e-7',
  '1e400',
);
const stringText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 15 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u0041\\/"', '"\\ud800"', '"\u2028é👩‍👩‍👧"', '"\\\\\\""', '"}{]["', '""'),
);
const valueText = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    numberText,
    stringText,
    fc.constantFrom('true', 'false', 'null'),
    fc
      .tuple(fc.array(tie('value'), { maxLength: 3 }), space)
      .map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
    fc
      .tuple(
        fc.uniqueArray(
          fc.tuple(
            stringText.filter((key) => !key.includes('__proto__')),
            tie('value'),
          ),
          { maxLength: 3, selector: ([key]) => JSON.parse(key) as string },
        ),
        space,
      )
      .map(
        ([members, gap]) =>
          `{${gap}${members.map(([key, value]) => `${key}${gap}:${gap}${value}`).join(`${gap},`)}${gap}}`,
      ),
  ),
})).value;

const KNOWN: readonly (readonly [string, fc.Arbitrary<string>])[] = [
  ['model', fc.constantFrom('"maker/model"', '"m\\u002fn"')],
  ['messages', stringText.map((content) => `[{"role":"user","content":${content},"x":1.0}]`)],
  ['temperature', fc.constantFrom('1.0', '1e0', 'null', '0.10')],
  ['max_tokens', fc.constantFrom('100', '1e2', '99999')],
  ['max_completion_tokens', fc.constantFrom('100', '7')],
  ['stream', fc.constantFrom('true', 'false')],
  ['seed', fc.constantFrom('9007199254740993')],
  ['metadata', fc.constant('{"a" : "b"}')],
  ['user', stringText],
  ['reasoning_effort', fc.constantFrom('"low"', '"high"')],
  ['stream_options', fc.constant('{"include_usage" : true}')],
  ['logit_bias', fc.constant('{"1":1.0}')],
];
const REQUIRED = new Set(['model', 'messages']);

const bodies = fc
  .tuple(
    fc.tuple(
      ...KNOWN.map(([name, value]) =>
        fc.tuple(fc.constant(name), value, REQUIRED.has(name) ? fc.constant(true) : fc.boolean()),
      ),
    ),
    fc.uniqueArray(fc.tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }), valueText), {
      maxLength: 5,
      selector: ([name]) => name,
    }),
    fc.array(fc.nat(), { minLength: 20, maxLength: 20 }),
    space,
  )
  .map(([known, unknown, order, gap]) => {
    const names = new Set([
      ...KNOWN.map(([name]) => name),
      '__proto__',
      'audio',
      'functions',
      'function_call',
      'tools',
      'tool_choice',
      'n',
      'stop',
      'usage',
      'provider',
    ]);
    const members = [
      ...known.flatMap(([name, value, given]) => (given ? [`"${name}"${gap}:${gap}${value}`] : [])),
      ...unknown.flatMap(([name, value]) => (names.has(name) ? [] : [`${JSON.stringify(name)}${gap}:${gap}${value}`])),
    ];
    const shuffled = members
      .map((member, at) => ({ member, key: order[at % order.length] ?? 0 }))
      .sort((a, b) => a.key - b.key);
    return `${gap}{${gap}${shuffled.map(({ member }) => member).join(`${gap},${gap}`)}${gap}}${gap}`;
  });

test('generated requests keep every character outside the edits', () => {
  const hosts = [
    factsOf(),
    factsOf({ maxTokensField: 'max_completion_tokens', logitBias: true, obfuscationOff: true }),
    factsOf({ reasoningWrite: 'thinking-type', streamUsage: 'always' }),
  ];
  fc.assert(
    fc.property(bodies, fc.constantFrom(...hosts), (text, facts) => {
      expect(checkRequest(text, facts)).toBe(true);
    }),
    { numRuns: runs(1000) },
  );
});

test('a string of five megabytes passes unchanged', () => {
  const long = `x${'é\\n'.repeat(1_000_000)}`;
  const text = `{"model":"maker/model","messages":[{"role":"user","content":"${long}"}],"big":${'9'.repeat(400)}}`;
  expect(Buffer.byteLength(text)).toBeGreaterThan(3_900_000);
  expect(checkRequest(text, factsOf())).toBe(true);
});

test('generated whole answers keep every character outside the edits', () => {
  fc.assert(
    fc.property(valueText, stringText, numberText, space, (extra, content, number, gap) => {
      const text = `{${gap}"vendor"${gap}:${gap}${extra},"n":${number},"choices":[{"index":0,"message":{"role":"assistant","content":${content},"refusal":null},"finish_reason":"stop","x":${extra}}],"id":"theirs","usage":{"prompt_tokens":1e1,"completion_tokens":2.0}${gap}}`;
      const { patch, usage } = chat.verbatim.answer(JSON.parse(text) as Json, contextOf(), factsOf());
      if (patch.kind !== 'pass') throw new Error('an answer is never dropped');
      const edited = splice(text, scanMembers(text, DEPTH), patch.edits);
      expectOnlyEdits(text, edited, patch.edits);
      expect(rawMembers(edited).get('choices')).toBe(rawMembers(text).get('choices'));
      expect(usage).toEqual({ prompt: 10, completion: 2 });
    }),
    { numRuns: runs(500) },
  );
});
