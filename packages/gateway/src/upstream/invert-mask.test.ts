import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { invertMask } from './invert-mask.ts';

function chunk(name: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(12 + data.length);
  framed.writeUInt32BE(data.length);
  framed.write(name, 4, 'latin1');
  data.copy(framed, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, 8 + data.length)), 8 + data.length);
  return framed;
}

/** Lines as they are in the file, each with its filter byte first. */
function png(width: number, height: number, kind: readonly number[], lines: readonly number[]): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set(kind, 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.from(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

async function greyOf(file: Buffer): Promise<readonly number[] | undefined> {
  const inverted = await invertMask({ base64: file.toString('base64') });
  if (inverted === undefined || !('base64' in inverted)) return undefined;
  const bytes = Buffer.from(inverted.base64, 'base64');
  expect([...bytes.subarray(24, 26)]).toEqual([8, 0]);
  const at = bytes.indexOf('IDAT');
  return [...inflateSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4)))];
}

const GREY_ALPHA = [8, 4, 0, 0, 0];

test('every filter is undone: lines of grey and alpha, two pixels each', async () => {
  const lines = [
    ...[0, 10, 255, 20, 0], // alpha 255, 0
    ...[1, 10, 100, 20, 50], // left: 100, 150
    ...[2, 0, 1, 0, 1], // above: 101, 151
    ...[3, 0, 0, 0, 0], // half of left and above: 50, (50 + 151) / 2 = 100
    ...[4, 0, 5, 0, 5], // Paeth: 50 + 5 = 55, nearest to 55 + 100 - 50 is 100: 105
  ];
  expect(await greyOf(png(2, 5, GREY_ALPHA, lines))).toEqual(
    [
      [0, 0, 255],
      [0, 155, 105],
      [0, 154, 104],
      [0, 205, 155],
      [0, 200, 150],
    ].flat(),
  );
});

test('of sixteen bits per sample the first eight count', async () => {
  expect(await greyOf(png(1, 1, [16, 6, 0, 0, 0], [0, 1, 2, 3, 4, 5, 6, 200, 7]))).toEqual([0, 55]);
});

test.each([
  ['no alpha', png(1, 1, [8, 2, 0, 0, 0], [0, 1, 2, 3])],
  ['interlaced', png(1, 1, [8, 6, 0, 0, 1], [0, 1, 2, 3, 4])],
  ['an unknown filter', png(1, 1, [8, 6, 0, 0, 0], [5, 1, 2, 3, 4])],
  ['too few pixels', png(2, 1, [8, 6, 0, 0, 0], [0, 1, 2, 3, 4])],
  ['more pixels than declared', png(1, 1, [8, 6, 0, 0, 0], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])],
  ['larger than the limit', png(4096, 4096, [8, 6, 0, 0, 0], [0, 1, 2, 3, 4])],
  ['cut short', png(1, 1, GREY_ALPHA, [0, 1, 2]).subarray(0, 40)],
  ['no PNG', Buffer.from('GIF89a')],
])('%s: not a mask', async (_what, file) => {
  expect(await greyOf(file)).toBeUndefined();
});
