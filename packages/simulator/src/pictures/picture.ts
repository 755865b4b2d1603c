// Small images made from a seed alone: the same request always gives the same bytes, and every file matches its type.
import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

export type PictureType = 'png' | 'jpeg' | 'webp';

export interface Picture {
  readonly type: PictureType;
  readonly bytes: Buffer;
}

const KILOBYTE = 1024;

export function makePicture(seed: string, type: PictureType, kilobytes = 0): Picture {
  const colour = createHash('sha256').update(seed).digest().subarray(0, 3);
  const filler = Buffer.alloc(kilobytes * KILOBYTE, colour);
  return { type, bytes: { png, jpeg, webp }[type](colour, filler) };
}

/** One pixel; filler is in a chunk that viewers skip. */
function png(colour: Buffer, filler: Buffer): Buffer {
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const chunks = [pngChunk('IHDR', head), pngChunk('IDAT', deflateSync(Buffer.from([0, ...colour])))];
  if (filler.length > 0) chunks.push(pngChunk('siMu', filler));
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks, pngChunk('IEND', Buffer.alloc(0))]);
}

function pngChunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** A header, a comment with the colour, and an end: enough to be recognised by its bytes, not to be displayed. */
function jpeg(colour: Buffer, filler: Buffer): Buffer {
  const comment = Buffer.from([0xff, 0xfe, 0, 2 + colour.length, ...colour]);
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), comment, filler, Buffer.from([0xff, 0xd9])]);
}

function webp(colour: Buffer, filler: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('WEBPVP8 ', 'latin1'), colour, filler]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from('RIFF', 'latin1'), length, body]);
}
