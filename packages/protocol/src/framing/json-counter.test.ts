// S1: the limits of a body are counted as it arrives, and again when its text is scanned; both counts agree.
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { DEFAULT_JSON_BOUNDS, type JsonBounds, JsonCounter, JsonShapeError, parseUntrustedObject } from './index.ts';

vi.setConfig({ testTimeout: 60_000 });

const TIGHT: JsonBounds = { depth: 4, membersPerObject: 3, elementsPerArray: 4, values: 12, stringBytes: 30 };

const verdictOf = (work: () => void): string => {
  try {
    work();
    return 'fits';
  } catch (error) {
    if (!(error instanceof JsonShapeError)) throw error;
    return `${error.problem} ${error.bound}`;
  }
};

/** Cuts the bytes before each of these positions. */
const counted = (bytes: Uint8Array, bounds: JsonBounds, cuts: readonly number[]): string =>
  verdictOf(() => {
    const counter = new JsonCounter(bounds);
    const places = cuts.map((cut) => cut % (bytes.length + 1)).toSorted((one, other) => one - other);
    for (const [index, from] of [0, ...places].entries())
      counter.feed(bytes.subarray(from, places[index] ?? bytes.length));
  });

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Measured on the parsed value: the longest list, the largest object and so on. */
function sizeOf(value: unknown): { depth: number; members: number; elements: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, members: 0, elements: 0 };
  const parts = Object.values(value);
  const inner = parts.map(sizeOf);
  const most = (of: (size: ReturnType<typeof sizeOf>) => number): number => Math.max(0, ...inner.map(of));
  return {
    depth: 1 + most(({ depth }) => depth),
    members: Math.max(
      Array.isArray(value) ? 0 : parts.length,
      most(({ members }) => members),
    ),
    elements: Math.max(
      Array.isArray(value) ? parts.length : 0,
      most(({ elements }) => elements),
    ),
  };
}

describe('bounds', () => {
  const many = (count: number, of: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => of(at)).join();
  test.each([
    ['{"a":[[[]]]}', 'fits'],
    ['{"a":[[[[]]]]}', 'too-deep 4'],
    ['{"a":1,"b":2,"c":3}', 'fits'],
    ['{"a":1,"b":2,"c":3,"d":4}', 'too-many-members 3'],
    ['{"a":[1,2,3,4]}', 'fits'],
    ['{"a":[1,2,3,4,5]}', 'too-many-elements 4'],
    [`{"a":[${many(4, () => '[1]')}]}`, 'fits'],
    [`{"a":[${many(4, () => '[1,2]')}]}`, 'too-many-values 12'],
    [`{"a":"${'x'.repeat(30)}"}`, 'fits'],
    [`{"a":"${'x'.repeat(31)}"}`, 'string-too-long 30'],
    [`{"a":"${'\\"'.repeat(15)}"}`, 'fits'],
    [`{"a":"[{,,,,,[[[[[[","b":"\\\\","c":"\\"[[[[[["}`, 'fits'],
  ])('%s → %s', (text, verdict) => {
    const bytes = encoded(text);
    expect(counted(bytes, TIGHT, [])).toBe(verdict);
    for (let cut = 1; cut < bytes.length; cut++) expect(counted(bytes, TIGHT, [cut]), `cut at ${cut}`).toBe(verdict);
    expect(counted(bytes, TIGHT, [...bytes.keys()])).toBe(verdict);
    // The limit on strings is not enforced on text that came in one piece.
    if (!verdict.startsWith('string')) expect(verdictOf(() => void parseUntrustedObject(text, TIGHT))).toBe(verdict);
  });

  test('any JSON, cut anywhere, is refused exactly if its value exceeds a limit', () => {
    const json = fc
      .dictionary(fc.string(), fc.jsonValue({ maxDepth: 6, depthSize: 'medium' }), { maxKeys: 6 })
      .filter((value) => !JSON.stringify(value).includes('__proto__'));
    fc.assert(
      fc.property(json, fc.boolean(), fc.array(fc.nat(2000), { maxLength: 8 }), (value, spaced, cuts) => {
        const text = JSON.stringify(value, null, spaced ? 1 : 0);
        const bounds = { ...TIGHT, values: 1_000_000, stringBytes: 1_000_000 };
        const verdict = counted(encoded(text), bounds, cuts);
        const { depth, members, elements } = sizeOf(value);
        const fits = depth <= 4 && members <= 3 && elements <= 4;
        expect(verdict === 'fits').toBe(fits);
        expect(verdictOf(() => void parseUntrustedObject(text, bounds))).toBe(verdict);
      }),
      { numRuns: 3000 },
    );
  });

  test('any bytes, cut anywhere, give the same verdict', () => {
    const bytes = fc
      .array(fc.constantFrom(...encoded('{}[]",:\\1 \n')), { maxLength: 200 })
      .map((codes) => Uint8Array.from(codes));
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(2000), { maxLength: 20 }), (text, cuts) => {
        expect(counted(text, TIGHT, cuts)).toBe(counted(text, TIGHT, []));
      }),
      { numRuns: 5000 },
    );
  });
});

describe('the default limits', () => {
  const block = '{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}';
  const listOf = (count: number, text: string): string => `{"messages":[${`${text},`.repeat(count - 1)}${text}]}`;
  const isRefused = (text: string): string => counted(encoded(text), DEFAULT_JSON_BOUNDS, [65_536]);

  test('accept 100,000 messages of several blocks, schemas of thousands of properties and media of 31 MB', () => {
    expect(isRefused(listOf(100_000, block))).toBe('fits');
    const properties = Array.from({ length: 5000 }, (_, at) => `"p${at}":{"type":"string"}`).join();
    expect(isRefused(`{"tools":[{"properties":{${properties}}}]}`)).toBe('fits');
    expect(isRefused(`{"data":"${'QUJD'.repeat(8_000_000)}"}`)).toBe('fits');
  });

  test('refuse every input of S1', () => {
    const members = Array.from({ length: 400_000 }, (_, at) => `"k${at}":"v"`).join();
    expect(isRefused(`{"metadata":{${members}}}`)).toBe('too-many-members 10000');
    expect(isRefused(listOf(480_000, '{"role":"user","content":"x"}'))).toBe('too-many-elements 200000');
    expect(isRefused(`{"tools":[{"properties":{${members}}}]}`)).toBe('too-many-members 10000');
    expect(isRefused(listOf(3_000_000, '{}'))).toBe('too-many-elements 200000');
    expect(isRefused(listOf(50, `[${'{},'.repeat(100_000)}{}]`))).toBe('too-many-values 1500000');
  });
});
