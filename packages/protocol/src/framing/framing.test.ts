import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { DEFAULT_JSON_BOUNDS, type Frame, JsonShapeError, parseUntrustedObject, SseReader, writeSse } from './index.ts';
import { spliceText } from './splice.fixture.ts';

/** Thousands of generated cases take long on a busy machine. */
vi.setConfig({ testTimeout: 60_000 });

const readSse = (pieces: readonly string[], flush = true): Frame[] => {
  const frames: Frame[] = [];
  const reader = new SseReader(1_000_000);
  for (const piece of pieces) reader.push(piece, (frame) => frames.push(frame));
  if (flush) reader.end((frame) => frames.push(frame));
  return frames;
};

const cut = (text: string, positions: readonly number[]): string[] => {
  const sorted = [...new Set(positions.map((position) => position % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((start, index) => text.slice(start, sorted[index] ?? text.length));
};

describe('SseReader', () => {
  test('reads records with LF, CRLF and CR line ends, comments and several data lines', () => {
    expect(readSse(['data: a\n\n: ping\n\nevent: x\r\ndata: b\r\ndata:c\r\n\r\ndata: d\r\r'])).toEqual([
      { data: 'a' },
      { event: 'x', data: 'b\nc' },
      { data: 'd' },
    ]);
  });

  test('emits a last record that lacks its blank line, but only at the end', () => {
    expect(readSse(['data: [DONE]'], false)).toEqual([]);
    expect(readSse(['data: [DONE]'])).toEqual([{ data: '[DONE]' }]);
  });

  test('refuses a record longer than its limit, however it is cut', () => {
    const reader = new SseReader(10);
    expect(() => reader.push('data: 12345', () => {})).toThrow('longer than 10');
    const whole = new SseReader(10);
    expect(() => whole.push('data: 1234567890\n\n', () => {})).toThrow('longer than 10');
  });

  const line = fc.oneof(
    fc.constantFrom(
      'data: x',
      'data:y',
      'data',
      'event: e',
      ': comment',
      '',
      '',
      'id: 1',
      'retry: 5',
      'data: é😀',
      'foo: bar',
    ),
    fc.string({ maxLength: 12 }).map((text) => `data: ${text.replace(/[\r\n]/g, ' ')}`),
  );
  const stream = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 30 })
    .map((lines) => lines.map(([text, end]) => text + end).join(''));

  test('agrees with eventsource-parser on any stream', () => {
    fc.assert(
      fc.property(stream, (text) => {
        const expected: Frame[] = [];
        const parser = createParser({
          onEvent: (event) =>
            expected.push(event.event === undefined ? { data: event.data } : { event: event.event, data: event.data }),
        });
        // A lone CR at the very end is ambiguous in that parser until more text comes.
        parser.feed(`${text}\n`);
        expect(readSse([`${text}\n`], false)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  test('gives the same records for every way of cutting the text', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(400), { maxLength: 12 }), (text, positions) => {
        expect(readSse(cut(text, positions))).toEqual(readSse([text]));
        expect(readSse([...text])).toEqual(readSse([text]));
      }),
      { numRuns: 1000 },
    );
  });

  test('reads what writeSse writes', () => {
    fc.assert(
      fc.property(fc.json(), fc.option(fc.constantFrom('message_start', 'ping'), { nil: undefined }), (data, event) => {
        const frame: Frame = event === undefined ? { data } : { event, data };
        expect(readSse([writeSse(frame)], false)).toEqual([frame]);
      }),
    );
  });
});

describe('splice', () => {
  test('changes nothing but the named members', () => {
    const source =
      '{ "model" : "a/b",\n  "big": 12345678901234567890, "f": 1.0, "e":1e3, "u":"\\u00e9\\"}",\n "z":[1,{"model":"inner"}] }';
    expect(spliceText(source, [{ name: 'model', value: '"up"' }], 64)).toBe(source.replace('"a/b"', '"up"'));
    expect(spliceText(source, [{ name: 'e', renameTo: 'exponent' }], 64)).toBe(source.replace('"e":', '"exponent":'));
  });

  test.each([
    ['{}', [{ name: 'a', value: '1' }], '{"a":1}'],
    [' { } ', [{ name: 'a', value: '1' }], ' {"a":1 } '],
    ['{"a":1}', [{ name: 'a', value: undefined }], '{}'],
    ['{"a":1,"b":2}', [{ name: 'a', value: undefined }], '{"b":2}'],
    ['{"a":1,"b":2}', [{ name: 'b', value: undefined }], '{"a":1}'],
    ['{"a":1, "b":2 ,"c":3}', [{ name: 'b', value: undefined }], '{"a":1 ,"c":3}'],
    [
      '{"a":1,"b":2}',
      [
        { name: 'a', value: undefined },
        { name: 'b', value: undefined },
        { name: 'c', value: '3' },
      ],
      '{"c":3}',
    ],
  ])('%s', (source, edits, expected) => {
    expect(spliceText(source, edits, 64)).toBe(expected);
  });

  test('applies the edits correctly to any object', () => {
    const names = fc.constantFrom('model', 'stream', 'provider', 'q', 'k1', '\u00e9', 'a"b');
    const edits = fc.uniqueArray(fc.record({ name: names, value: fc.option(fc.jsonValue(), { nil: undefined }) }), {
      selector: (edit) => edit.name,
      maxLength: 4,
    });
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), edits, fc.nat(3), (object, changes, indent) => {
        const text = JSON.stringify(object, null, indent);
        const wanted: Record<string, unknown> = JSON.parse(text);
        for (const { name, value } of changes) {
          if (value === undefined) delete wanted[name];
          else wanted[name] = JSON.parse(JSON.stringify(value));
        }
        const result = spliceText(
          text,
          changes.map(({ name, value }) => ({ name, value: value === undefined ? undefined : JSON.stringify(value) })),
          200,
        );
        expect(JSON.parse(result)).toEqual(wanted);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('parseUntrustedObject', () => {
  const problemOf = (text: string): string | undefined => {
    try {
      parseUntrustedObject(text, DEFAULT_JSON_BOUNDS);
      return undefined;
    } catch (error) {
      if (error instanceof JsonShapeError) return error.problem;
      throw error;
    }
  };
  const nest = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

  test.each([
    ['', 'not-json'],
    ['[', 'not-an-object'],
    ['[]', 'not-an-object'],
    ['null', 'not-an-object'],
    ['{', 'not-json'],
    ['{"a"', 'not-json'],
    ['{"a":', 'not-json'],
    ['{"a":1', 'not-json'],
    ['{"a":1,', 'not-json'],
    ['{"a":1,}', 'not-json'],
    ['{a:1}', 'not-json'],
    ['{"a":[1}', 'not-json'],
    ['{"a":NaN}', 'not-json'],
    ['{"a":1} x', 'not-json'],
    ['{"a":1,"a":2}', 'duplicate-member'],
    ['{"a":1,"\\u0061":2}', 'duplicate-member'],
    ['{"__proto__":{}}', 'forbidden-member'],
    ['{"x":[{"\\u005f_proto__":1}]}', 'forbidden-member'],
    ['{"__\\u0070roto__":1}', 'forbidden-member'],
    ['{"x":{"constructor":1,"prototype":2}}', undefined],
    ['{"x":"__proto__"}', undefined],
    [nest(64), undefined],
    [nest(65), 'too-deep'],
    [nest(10_000), 'too-deep'],
  ])('%.40s → %s', (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  test('accepts and rejects like JSON.parse, for objects within the depth limit', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })),
        fc.nat(200),
        fc.string({ maxLength: 2 }),
        (object, position, junk) => {
          const text = JSON.stringify(object);
          const at = position % (text.length + 1);
          const mutated = text.slice(0, at) + junk + text.slice(at + 1);
          let valid = true;
          try {
            const parsed: unknown = JSON.parse(mutated);
            valid = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
          } catch {
            valid = false;
          }
          const problem = problemOf(mutated);
          // Duplicates are found on the text, so it may be broken further on; either way it is refused.
          if (problem === 'duplicate-member') return;
          if (problem === 'forbidden-member') expect(valid).toBe(true);
          else expect(problem === undefined).toBe(valid);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('refuses five million levels without scanning all of them', () => {
    const text = `{"a":${'['.repeat(5_000_000)}`;
    let bestMs = Number.POSITIVE_INFINITY;
    // The fastest of a few attempts, so that other load on the machine does not count.
    for (let turn = 0; turn < 5; turn++) {
      const started = performance.now();
      expect(problemOf(text)).toBe('too-deep');
      bestMs = Math.min(bestMs, performance.now() - started);
    }
    expect(bestMs).toBeLessThan(5);
  });
});
