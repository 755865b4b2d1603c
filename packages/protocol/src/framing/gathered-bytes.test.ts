import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GatheredBytes } from './gathered-text.ts';

const bytesOf = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) & 255);

function gather(bytes: Uint8Array, pieceBytes: number, expectedBytes?: number): GatheredBytes {
  const gathered = new GatheredBytes(expectedBytes);
  for (let at = 0; at < bytes.length; at += pieceBytes) gathered.push(bytes.subarray(at, at + pieceBytes));
  return gathered;
}

const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

test('the bytes are the same, however they arrive', () => {
  const bytes = bytesOf(200_001);
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.nat(20), fc.nat(70_000)), { maxLength: 40 }),
      fc.option(fc.nat(200_001)),
      (lengths, expected) => {
        const gathered = new GatheredBytes(expected ?? undefined);
        let at = 0;
        for (const length of lengths) {
          gathered.push(bytes.subarray(at, at + length));
          at = Math.min(bytes.length, at + length);
        }
        expect(gathered.length).toBe(at);
        expect(gathered.pieces().every(({ length }) => length > 0)).toBe(true);
        expect(same(Buffer.concat(gathered.pieces()), bytes.subarray(0, at))).toBe(true);
        expect(same(gathered.join(), bytes.subarray(0, at))).toBe(true);
      },
    ),
  );
});

test('single bytes are stored in few pieces (S2), large pieces are not copied', () => {
  const bytes = bytesOf(3_000_000);
  expect(gather(bytes, 1).pieces().length).toBeLessThan(12);
  const [whole] = gather(bytes, bytes.length).pieces();
  expect(whole?.buffer).toBe(bytes.buffer);
});

test('if the length is known, everything is one piece without another copy', () => {
  const bytes = bytesOf(300_000);
  for (const pieceBytes of [1, 20_000, 299_999]) {
    const gathered = gather(bytes, pieceBytes, bytes.length);
    expect(gathered.pieces()).toHaveLength(1);
    expect(gathered.join()).toBe(gathered.pieces()[0]);
    expect(same(gathered.join(), bytes)).toBe(true);
  }
});

test('no bytes give no piece', () => {
  const gathered = new GatheredBytes();
  gathered.push(new Uint8Array(0));
  expect(gathered.pieces()).toEqual([]);
  expect(gathered.join()).toHaveLength(0);
});
