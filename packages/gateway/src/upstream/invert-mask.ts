/**
 * Masks for hosts with the opposite convention: what is transparent in the caller's mask, and so to be edited, becomes
 * white, and what is opaque black. Only a PNG with an alpha channel has both. Parsed here and not by pngjs 7, which
 * inflates without a bound and throws uncatchably if a file is too short or has an unknown filter.
 */
import { promisify } from 'node:util';
import { crc32, deflate, inflate } from 'node:zlib';
import type { ImageFile } from '@trivium/protocol/canonical';

const SIGNATURE = '89504e470d0a1a0a';
/** About 2048 × 2048, the largest picture such hosts produce. */
const MAX_PIXELS = 4_194_304;
/** Samples per pixel by colour type, for those with alpha, which is the last sample. */
const SAMPLES: Readonly<Record<number, number>> = { 4: 2, 6: 4 };

type Head = {
  readonly width: number;
  readonly height: number;
  readonly pixelBytes: number;
  /** Offset within a pixel; of two bytes the first, which is precise enough. */
  readonly alphaAt: number;
};

/** Undefined if the file is not such a PNG. */
export async function invertMask(file: ImageFile): Promise<ImageFile | undefined> {
  const chunks = chunksOf('base64' in file ? Buffer.from(file.base64, 'base64') : Buffer.concat(file.pieces));
  const head = headOf(chunks[0]);
  if (head === undefined) return undefined;
  const data = Buffer.concat(chunks.flatMap(({ name, data }) => (name === 'IDAT' ? [data] : [])));
  const length = (1 + head.width * head.pixelBytes) * head.height;
  const lines = await promisify(inflate)(data, { maxOutputLength: length }).catch(() => undefined);
  const grey = lines?.length === length ? invertedLines(lines, head) : undefined;
  if (grey === undefined) return undefined;
  return { base64: (await greyPng(head, grey)).toString('base64'), mimeType: 'image/png' };
}

type Chunk = { readonly name: string; readonly data: Buffer };

/** The complete chunks. */
function chunksOf(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  if (png.toString('hex', 0, 8) !== SIGNATURE) return chunks;
  for (let at = 8; at + 12 <= png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    if (end + 4 > png.length) break;
    chunks.push({ name: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

function headOf(first: Chunk | undefined): Head | undefined {
  if (first?.name !== 'IHDR' || first.data.length !== 13) return undefined;
  const [width, height] = [first.data.readUInt32BE(0), first.data.readUInt32BE(4)];
  const [depth, colour = 0, , , interlaced] = first.data.subarray(8);
  const samples = SAMPLES[colour];
  const sampleBytes = depth === 8 ? 1 : depth === 16 ? 2 : undefined;
  if (samples === undefined || sampleBytes === undefined || interlaced !== 0) return undefined;
  if (width * height === 0 || width * height > MAX_PIXELS) return undefined;
  return { width, height, pixelBytes: samples * sampleBytes, alphaAt: (samples - 1) * sampleBytes };
}

/** Each line begins with its filter byte; undefined for an unknown filter. */
function invertedLines(lines: Buffer, { width, height, pixelBytes, alphaAt }: Head): Buffer | undefined {
  const stride = width * pixelBytes;
  const grey = Buffer.alloc((1 + width) * height);
  let above: Buffer = Buffer.alloc(stride);
  for (let row = 0; row < height; row++) {
    const at = row * (1 + stride);
    const line = lines.subarray(at + 1, at + 1 + stride);
    if (!unfilter(lines[at] ?? 0, line, above, pixelBytes)) return undefined;
    for (let column = 0; column < width; column++)
      grey[row * (1 + width) + 1 + column] = 255 - (line[column * pixelBytes + alphaAt] ?? 0);
    above = line;
  }
  return grey;
}

/** In place. */
function unfilter(filter: number, line: Buffer, above: Buffer, pixelBytes: number): boolean {
  if (filter > 4) return false;
  for (let at = 0; filter > 0 && at < line.length; at++) {
    const left = at < pixelBytes ? 0 : (line[at - pixelBytes] ?? 0);
    const up = above[at] ?? 0;
    const corner = at < pixelBytes ? 0 : (above[at - pixelBytes] ?? 0);
    line[at] = (line[at] ?? 0) + predicted(filter, left, up, corner);
  }
  return true;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

const GREY = 0;

async function greyPng({ width, height }: Head, lines: Buffer): Promise<Buffer> {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, GREY, 0, 0, 0], 8);
  const data = await promisify(deflate)(lines);
  return Buffer.concat([
    Buffer.from(SIGNATURE, 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
