import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { GatheredPieces } from './gathered-pieces.ts';

function gathered(bytes: Buffer, pieceBytes: number): readonly Buffer[] {
  const pieces = new GatheredPieces();
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes));
  return pieces.end();
}

test('the bytes are the same, however they come', () => {
  const bytes = randomBytes(200_001);
  for (const pieceBytes of [1, 7, 16_383, 16_384, 65_536, 300_000])
    expect(Buffer.concat(gathered(bytes, pieceBytes)).equals(bytes), `${pieceBytes}`).toBe(true);
  const mixed = new GatheredPieces();
  for (const [from, to] of [
    [0, 3],
    [3, 70_000],
    [70_000, 70_001],
    [70_001, 200_001],
  ])
    mixed.push(bytes.subarray(from, to));
  expect(Buffer.concat(mixed.end()).equals(bytes)).toBe(true);
});

test('a file that comes byte by byte is a few pieces, one that comes in large pieces is not copied', () => {
  const bytes = randomBytes(100_000);
  expect(gathered(bytes, 1).length).toBeLessThan(8);
  const [whole] = gathered(bytes, 100_000);
  expect(whole?.buffer).toBe(bytes.buffer);
});

test('nothing is no piece', () => {
  expect(gathered(Buffer.alloc(0), 1)).toEqual([]);
  const pieces = new GatheredPieces();
  pieces.push(Buffer.alloc(0));
  expect(pieces.end()).toEqual([]);
});
