import { expect, test } from 'vitest';
import { base64OfFloats, floatsOfBase64 } from './float32.ts';

/** How other programs encode the same floats. */
const others = (floats: readonly number[]): string =>
  Buffer.from(new Uint8Array(new Float32Array(floats).buffer)).toString('base64');

test.each([[[]], [[1]], [[0.5, -0.25]], [[1, 2, 3]], [[Math.fround(0.1), 1e-38, -3.4e38, 0]]])(
  '%j is written as others write it, and read back',
  (floats) => {
    const text = base64OfFloats(floats);
    expect(text).toBe(others(floats));
    expect(floatsOfBase64(text)).toEqual(floats.map(Math.fround));
  },
);

test('a vector of the usual length survives', () => {
  const floats = Array.from({ length: 3072 }, (_, at) => Math.fround(Math.sin(at)));
  expect(base64OfFloats(floats)).toBe(others(floats));
  expect(floatsOfBase64(base64OfFloats(floats))).toEqual(floats);
});

test.each(['AAA', 'AAAAAAA', '!!!!!!', 'AAAA AA='])('%s is not a list of floats', (text) => {
  expect(floatsOfBase64(text)).toBeUndefined();
});
