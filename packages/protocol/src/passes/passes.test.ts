import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textCall } from '../canonical/call.fixture.ts';
import type { TextCall } from '../canonical/call.ts';
import type { Turn } from '../canonical/content.ts';
import { closedSchema } from '../dialects/anthropic-messages/encode-output.ts';
import { bytesOfBase64, isBase64, textOfBase64 } from './base64.ts';
import { ESTIMATE_MARGIN, estimateInputTokens, estimateOutputTokens, leastInputTokens } from './estimate-tokens.ts';
import { argumentsObject, exactObject } from './exact-json.ts';
import { nearestEffort } from './nearest-effort.ts';
import { normaliseTurns, withAnsweredCalls } from './normalise-turns.ts';
import { escapeName, SafeIds, unescapeName } from './safe-names.ts';

describe('safe names', () => {
  const trickyNames = fc.string({ unit: fc.constantFrom('a', '_', 'x', '2', 'e', '.', '-', 'é', '😀', ':') });

  test('every name is encoded in the alphabet and decoded unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(trickyNames, fc.string({ unit: 'grapheme' })), (name) => {
        const escaped = escapeName(name);
        expect(escaped).toMatch(name === '' ? /^$/ : /^[A-Za-z0-9_-]+$/);
        expect(unescapeName(escaped)).toBe(name);
      }),
    );
  });

  test('safe names stay unchanged', () => {
    expect(escapeName('get_weather-2')).toBe('get_weather-2');
    expect(unescapeName('call_abc')).toBe('call_abc');
  });

  test('ids stay one to one, within the length, and the same for the same id', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 120 }), { maxLength: 20 }), (given) => {
        const ids = new SafeIds(64);
        const safe = given.map((id) => ids.of(id));
        expect(new Set(safe).size).toBe(given.length);
        for (const id of safe) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(given.map((id) => ids.of(id))).toEqual(safe);
      }),
    );
  });
});

describe('exact JSON', () => {
  test.each(['{"n":12345678901234567890}', '{"a":[1.0,{"b":1e5}],"z":0.1}', '{"b":1,"a":2}'])(
    '%s prints as it was',
    (text) => expect(JSON.stringify(exactObject(text))).toBe(text),
  );
  test('anything but an object is sent under one name; empty text is an empty object', () => {
    expect(argumentsObject('{"a":')).toEqual({ _raw: '{"a":' });
    expect(argumentsObject('[1]')).toEqual({ _raw: '[1]' });
    expect(argumentsObject(' ')).toEqual({});
    expect(exactObject('7')).toBeUndefined();
  });
});

test('base64 is validated and its text decoded', () => {
  for (const text of ['', 'Q', 'QQ=', 'QU_D']) expect(isBase64(text), text).toBe(false);
  expect(isBase64('w6k=')).toBe(true);
  expect(textOfBase64('w6nwn5iA')).toBe('é😀');
  expect(textOfBase64('/w==')).toBeUndefined();
});

test('bytes are decoded from base64 of other encoders, and from nothing else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
      expect(bytesOfBase64(Buffer.from(bytes).toString('base64'))).toEqual(bytes);
    }),
  );
  for (const text of ['AAAA!', 'AA A', 'QU_D', '\u00e9AAA']) expect(bytesOfBase64(text), text).toBeUndefined();
});

test('the nearest effort is one the model supports, the cheaper of two equally close ones', () => {
  expect(nearestEffort('minimal', ['low', 'high'])).toBe('low');
  expect(nearestEffort('medium', ['low', 'high'])).toBe('low');
  expect(nearestEffort('xhigh', ['low', 'high', 'max'])).toBe('high');
  expect(nearestEffort('high', [])).toBeUndefined();
});

test('closed schemas forbid other members and describe unsupported constraints in words', () => {
  expect(
    closedSchema({
      $schema: 's',
      type: 'object',
      properties: {
        n: { type: 'integer', minimum: 3, description: 'A count' },
        u: { oneOf: [{ type: 'string', format: 'iri' }] },
      },
    }),
  ).toEqual({
    type: 'object',
    additionalProperties: false,
    properties: {
      n: { type: 'integer', description: 'A count (minimum: 3)' },
      u: { anyOf: [{ type: 'string', description: '(format: "iri")' }] },
    },
  });
});

describe('turns', () => {
  const text = (value: string) => ({ kind: 'text' as const, text: value });
  const call = (id: string) => ({
    kind: 'tool-call' as const,
    id,
    name: 'f',
    form: 'function' as const,
    argumentsJson: '{}',
  });
  const result = (callId: string) => ({ kind: 'tool-result' as const, callId, content: [text('r')], isError: false });
  const kinds = (turns: readonly Turn[]) => turns.map((turn) => [turn.role, ...turn.blocks.map((block) => block.kind)]);
  const normal = (turns: Turn[], systemTurns: 'keep' | 'as-user' = 'as-user') => normaliseTurns(turns, { systemTurns });

  test('consecutive turns of one role are merged, empty text is dropped', () => {
    const { turns } = normal([
      { role: 'user', blocks: [text('a')] },
      { role: 'user', blocks: [text(''), text('b')] },
      { role: 'assistant', blocks: [text('')] },
      { role: 'user', blocks: [text('c')] },
    ]);
    expect(turns).toEqual([{ role: 'user', blocks: [text('a'), text('b'), text('c')] }]);
  });

  test('results come first, missing ones become errors, orphans become text', () => {
    const { turns, losses } = normal([
      { role: 'assistant', blocks: [call('1'), call('2')] },
      { role: 'user', blocks: [text('and'), result('2'), result('9')] },
    ]);
    expect(kinds(turns)).toEqual([
      ['assistant', 'tool-call', 'tool-call'],
      ['user', 'tool-result', 'tool-result', 'text', 'text'],
    ]);
    expect(turns[1]?.blocks[0]).toMatchObject({ callId: '1', isError: true });
    expect(losses).toEqual([{ field: 'block.tool-result', why: 'approximated' }]);
  });

  test('of several results of a call before the next answer only the first is kept', () => {
    const round: Turn[] = [
      { role: 'assistant', blocks: [call('1')] },
      { role: 'user', blocks: [result('1'), text('t')] },
      { role: 'assistant', blocks: [call('1')] },
      { role: 'user', blocks: [result('1')] },
    ];
    const repeated = [...round.slice(0, 2), { role: 'user' as const, blocks: [result('1')] }, ...round.slice(2)];
    expect(normal(repeated)).toEqual({ turns: round, losses: [{ field: 'block.tool-result', why: 'approximated' }] });
    expect(withAnsweredCalls(repeated, () => undefined)).toEqual(round);
    expect(withAnsweredCalls(round, () => undefined)).toBe(round);
  });

  test('a complete round is unchanged, without a loss', () => {
    const round: Turn[] = [
      { role: 'user', blocks: [text('q')] },
      { role: 'assistant', blocks: [call('1')] },
      { role: 'user', blocks: [result('1'), text('t')] },
    ];
    expect(normal(round)).toEqual({ turns: round, losses: [] });
  });

  test('system turns between calls and results come after the results, which stay what they are', () => {
    const system: Turn = { role: 'system', blocks: [text('be kind')] };
    const calls: Turn = { role: 'assistant', blocks: [call('1'), call('2')] };
    const late: Turn = { role: 'user', blocks: [text('and'), result('2')] };
    expect(normal([calls, { role: 'user', blocks: [result('1')] }, system, late], 'keep')).toEqual({
      turns: [
        calls,
        { role: 'user', blocks: [result('1'), result('2')] },
        system,
        { role: 'user', blocks: [text('and')] },
      ],
      losses: [],
    });
    const unanswered = normal([calls, system, late], 'keep');
    expect(unanswered.turns[1]?.blocks).toMatchObject([{ callId: '1', isError: true }, result('2')]);
    expect(unanswered.losses).toEqual([{ field: 'block.tool-result', why: 'approximated' }]);
  });

  test('system turns are marked if they cannot stay in place, and that is a loss', () => {
    const turns: Turn[] = [
      { role: 'user', blocks: [text('q')] },
      { role: 'system', blocks: [text('be kind')] },
    ];
    expect(normal(turns).turns[0]?.blocks[1]).toEqual(text('<system>\nbe kind\n</system>'));
    expect(normal(turns).losses).toEqual([{ field: 'turn.system', why: 'approximated' }]);
    expect(normal(turns, 'keep')).toEqual({ turns, losses: [] });
  });
});

describe('the estimate of tokens', () => {
  const call = (text: string, more: Partial<TextCall> = {}): TextCall =>
    textCall({ turns: [{ role: 'user', blocks: [{ kind: 'text', text }] }], ...more });
  test('follows the documented rule', () => {
    expect(estimateInputTokens(call('abcdefgh'))).toBe(8 + 2);
    expect(estimateInputTokens(call('漢字'))).toBe(8 + 2);
    expect(estimateInputTokens(call('', { tools: [{ kind: 'function', name: 'abcd' }] }))).toBe(8 + 4 + 1);
  });
  test('counts images by resolution for models that read them so: the image’s own before the call’s', () => {
    const pictured = (detail?: 'high' | 'auto') =>
      call('', {
        mediaResolution: 'medium',
        turns: [
          {
            role: 'user',
            blocks: [
              {
                kind: 'media',
                media: 'image',
                source: { via: 'inline', base64: 'QUJD' },
                ...(detail !== undefined && { detail }),
              },
            ],
          },
        ],
      });
    expect(estimateInputTokens(pictured('high'), true)).toBe(8 + 1120);
    for (const usual of [pictured(), pictured('auto')]) expect(estimateInputTokens(usual, true)).toBe(8 + 560);
    expect(estimateInputTokens(pictured('high'))).toBe(8 + 1);
  });
  test('of an output counts one token per piece, and adds only the length beyond long tokens', () => {
    const estimate = (producedPieces: number, producedCharacters: number): number =>
      estimateOutputTokens({ producedPieces, producedCharacters });
    expect(estimate(0, 0)).toBe(0);
    expect(estimate(100, 690)).toBe(100);
    expect(estimate(1, 20)).toBe(1);
    expect(estimate(10, 4_000)).toBe(986);
  });
  test('has a lower bound that counts neither runs, media, tools nor parts that hosts may drop', () => {
    expect(leastInputTokens(call('abcdefgh'.repeat(100)))).toBe(100);
    expect(leastInputTokens(call('漢字'.repeat(100)))).toBe(50);
    expect(leastInputTokens(call(' '.repeat(10_000)))).toBe(0);
    const thoughts: TextCall['turns'] = [
      { role: 'assistant', blocks: [{ kind: 'thinking', form: 'full', text: 'abcdefgh'.repeat(100) }] },
      { role: 'user', blocks: [{ kind: 'media', media: 'image', source: { via: 'inline', base64: 'QUJD' } }] },
    ];
    expect(leastInputTokens(call('', { turns: thoughts }))).toBe(1);
  });
  test('is between its bounds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
        const estimate = estimateInputTokens(call(text));
        expect(leastInputTokens(call(text))).toBeLessThanOrEqual(estimate);
        expect(ESTIMATE_MARGIN * estimate).toBeGreaterThanOrEqual(estimate);
      }),
    );
  });
  test('never shrinks when text is added', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(estimateInputTokens(call(a + b))).toBeGreaterThanOrEqual(estimateInputTokens(call(a)));
      }),
    );
  });
});
