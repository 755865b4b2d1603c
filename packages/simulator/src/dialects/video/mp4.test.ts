import { expect, test } from 'vitest';
import { MP4 } from './mp4.ts';

/** Consecutive boxes that fill the bytes. */
function boxesIn(bytes: Buffer): ReadonlyMap<string, Buffer> {
  const boxes = new Map<string, Buffer>();
  let at = 0;
  while (at < bytes.length) {
    const length = bytes.readUInt32BE(at);
    boxes.set(bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + 8, at + length));
    at += length;
  }
  expect(at).toBe(bytes.length);
  return boxes;
}

test('the clip is a complete file of two seconds, with its index before its frames', () => {
  const boxes = boxesIn(MP4);
  expect([...boxes.keys()].filter((name) => name !== 'free')).toEqual(['ftyp', 'moov', 'mdat']);
  const head = boxesIn(boxes.get('moov') ?? Buffer.alloc(0)).get('mvhd');
  const [scale, duration] = [head?.readUInt32BE(12), head?.readUInt32BE(16)];
  expect((duration ?? 0) / (scale ?? 1)).toBe(2);
  expect(MP4.byteLength).toBeLessThan(5000);
});
