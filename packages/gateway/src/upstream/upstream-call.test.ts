import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PiecewiseUtf8 } from './upstream-call.ts';

const decode = (pieces: readonly Buffer[]): string => {
  const utf8 = new PiecewiseUtf8();
  return pieces.map((piece) => utf8.write(piece)).join('') + utf8.end();
};

test('text cut into bytes anywhere is the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat(60)), (text, cuts) => {
      const bytes = Buffer.from(text);
      const places = [...new Set([0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])].sort(
        (a, b) => a - b,
      );
      const pieces = places.slice(1).map((end, at) => bytes.subarray(places[at], end));
      expect(decode(pieces)).toBe(bytes.toString('utf8'));
    }),
    { numRuns: 300 },
  );
});

test('invalid bytes become replacement characters, wherever they are cut', () => {
  const bytes = Buffer.from([0x61, 0xff, 0xe4, 0xb8, 0x62, 0xf0, 0x9f]);
  const expected = bytes.toString('utf8');
  expect(expected).toContain('\ufffd');
  for (let at = 0; at <= bytes.length; at++) expect(decode([bytes.subarray(0, at), bytes.subarray(at)])).toBe(expected);
});

test('a character cut at the end of the stream is not lost silently', () => {
  expect(decode([Buffer.from([0x61, 0xe4, 0xb8])])).toBe('a\ufffd');
});
