/** Frames of the verbatim lane: the fast path against a slow one that parses every frame, and the edits against the list. */
import type { AnswerContext, Frame, TargetFacts } from '@trivium/protocol/dialects';
import { LearntFrame, SseReader, scanMembers, splice } from '@trivium/protocol/framing';
import { UsageMeter } from '@trivium/protocol/stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VerbatimStream } from '../../packages/gateway/src/calls/lanes/verbatim.ts';
import { runs } from '../support/nightly.ts';
import { chat, contextOf, factsOf, fixtures, targetOf } from './fixture-set.ts';

const LIMITS = { eventLength: 1_000_000, jsonDepth: 64 };

const framesOf = (text: string): Frame[] => {
  const frames: Frame[] = [];
  const reader = new SseReader(LIMITS.eventLength);
  reader.push(text, (frame) => frames.push(frame));
  reader.end((frame) => frames.push(frame));
  return frames;
};

type Result = { readonly frames: readonly Frame[]; readonly reading: UsageMeter['reading']; readonly fault: unknown };

/** JSON that came over several lines goes out in one. */
const oneLine = (json: string): string => json.replaceAll('\n', ' ');

/** What the pump promises, without remembering anything from one frame to the next. */
function slowly(stream: string, context: AnswerContext, facts: TargetFacts): Result {
  const meter = new UsageMeter();
  const reader = chat.verbatim.frames(context, facts);
  const frames: Frame[] = [];
  for (const frame of framesOf(stream)) {
    const { patch, usage, producedCharacters, fault, last } = reader.read(frame);
    if (usage !== undefined) meter.report(usage);
    if (producedCharacters !== undefined) meter.produced(producedCharacters);
    if (fault !== undefined) return { frames, reading: meter.reading, fault };
    if (last === true) break;
    if (patch.kind === 'pass')
      frames.push({
        ...frame,
        data: oneLine(splice(frame.data, scanMembers(frame.data, LIMITS.jsonDepth), patch.edits)),
      });
  }
  const end = reader.end();
  return { frames: [...frames, ...end.frames], reading: meter.reading, fault: end.fault };
}

function pumped(stream: string, context: AnswerContext, facts: TargetFacts): Result {
  const pump = new VerbatimStream(chat, context, targetOf(facts), LIMITS);
  let text = pump.push(stream);
  if (pump.fault === undefined) text += pump.end();
  return { frames: framesOf(text), reading: pump.meter.reading, fault: pump.fault };
}

describe.each(fixtures)('$name', ({ stream, facts }) => {
  const text = stream.toString('utf8');
  test.each([
    { usageInStream: true, hideReasoning: false },
    { usageInStream: false, hideReasoning: true },
  ])('the fast path equals the slow path with %o', (responseOptions) => {
    expect(pumped(text, contextOf(responseOptions), facts)).toEqual(slowly(text, contextOf(responseOptions), facts));
  });

  test('a frame differs from the original only in its edited members', () => {
    const reader = chat.verbatim.frames(contextOf(), facts);
    for (const frame of framesOf(text)) {
      const { patch } = reader.read(frame);
      if (patch.kind === 'drop') continue;
      const members = scanMembers(frame.data, LIMITS.jsonDepth);
      const after = splice(frame.data, members, patch.edits);
      const named = new Set(patch.edits.map(({ name }) => name));
      const untouched = (source: string): string[] =>
        scanMembers(source, LIMITS.jsonDepth).flatMap(({ name, start, valueEnd }) =>
          named.has(name) ? [] : [source.slice(start, valueEnd)],
        );
      expect(untouched(after)).toEqual(untouched(frame.data));
      expect([...named].filter((name) => !EDITABLE.has(name))).toEqual([]);
    }
  });
});

const EDITABLE = new Set(['id', 'object', 'created', 'model', 'usage', 'choices']);

const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('a', ' the', 'a', '', 'content', 'id', ',', ':', '",', '\\', '\n', '\u2028', '👩‍👩‍👧', 'null', 'x'),
);
const spelt = fc.oneof(
  piece.map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u0061"', '"\\u0020the"', '"\\/"', '"\\ud83d"'),
);
const value = fc.oneof(spelt, fc.constantFrom('null', '1', '0', 'true', '[]', '{}', '1e2'));
const delta = fc.oneof(
  { weight: 6, arbitrary: spelt.map((text) => `{"content":${text}}`) },
  { weight: 3, arbitrary: spelt.map((text) => `{"reasoning_content":${text}}`) },
  spelt.map((text) => `{"reasoning":${text}}`),
  fc.tuple(spelt, spelt).map(([a, b]) => `{"reasoning":${a},"reasoning_content":${b}}`),
  fc.tuple(spelt, spelt).map(([a, b]) => `{"content":${a},"content":${b}}`),
  fc.tuple(value, spelt).map(([a, b]) => `{"role":${a},"content":${b}}`),
  spelt.map(
    (text) => `{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":${text}}}]}`,
  ),
  fc.constant('{}'),
);
const chunk = fc
  .tuple(
    delta,
    fc.constantFrom('0', '0', '0', '"a"', '1'),
    fc.constantFrom('null', 'null', 'null', 'null', '"a"', '""', '"stop"'),
    fc.constantFrom(
      '',
      ',"usage":{"prompt_tokens":1,"completion_tokens":2}',
      ',"usage":{"prompt_tokens":3}',
      ',"usage":null',
    ),
    fc.constantFrom('"x":1', '"x":"a"', '"a":1', '"model":"a"', '"id":" the"'),
  )
  .map(
    ([inner, index, finish, usage, more]) =>
      `{${more},"choices":[{"index":${index},"delta":${inner},"finish_reason":${finish}}]${usage}}`,
  );
const record = fc.oneof(
  { weight: 10, arbitrary: chunk.map((data) => `data: ${data}\n\n`) },
  chunk.map((data) => `event: named\ndata: ${data}\n\n`),
  chunk.map((data) => `data: ${data.replace('"choices"', '\ndata: "choices"')}\n\n`),
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ': ping\n\n',
      'data: {"choices":[]}\n\n',
      'data: {"broken\n\n',
      'data: {"error":{"message":"x"}}\n\n',
      'data: [DONE]\n\n',
    ),
  },
);

test('the fast path equals the slow path on any stream', () => {
  fc.assert(
    fc.property(
      fc.array(record, { maxLength: 25 }),
      fc.boolean(),
      fc.boolean(),
      (records, usageInStream, hideReasoning) => {
        const context = contextOf({ usageInStream, hideReasoning });
        expect(pumped(records.join(''), context, factsOf())).toEqual(slowly(records.join(''), context, factsOf()));
      },
    ),
    { numRuns: runs(3000) },
  );
});

test('a frame template never accepts a frame that JSON.parse refuses', () => {
  const source = '{"id":"x","choices":[{"index":0,"delta":{"content":"word"},"finish_reason":null}]}';
  const learnt = LearntFrame.learn(source, source.replace('"x"', '"ours"'), 'word', 1);
  expect(learnt).toBeDefined();
  const [before = '', after = ''] = source.split('word');
  const inner = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc
      .array(fc.constantFrom('"', '\\', '\n', '\u0000', '\u001f', '{', '}', 'a', '\\u12', ',"b":"', '\ud800'), {
        maxLength: 6,
      })
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(
      inner,
      fc.constantFrom(before, before.slice(1), `${before} `),
      fc.constantFrom(after, after.slice(0, -1), ` ${after}`),
      (text, start, end) => {
        const data = start + text + end;
        const rewritten = learnt?.rewrite(data);
        if (rewritten === undefined) return;
        const parsed = JSON.parse(data) as { choices: [{ delta: { content: string } }] };
        expect(parsed.choices[0].delta.content).toHaveLength(learnt?.textLength(data) ?? -1);
        expect(JSON.parse(rewritten)).toEqual({ ...parsed, id: 'ours' });
      },
    ),
    { numRuns: runs(3000) },
  );
});
