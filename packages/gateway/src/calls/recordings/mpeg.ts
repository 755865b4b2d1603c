/** MPEG audio and ADTS: chains of frames, each with its own rate. Tables of contents (Xing, VBRI) are frames like others. */
import { textAt, u8, u24, u32 } from './bytes.ts';

export type Frame = { readonly length: number; readonly seconds: number; readonly kind: number };

const MPEG_BITRATES: Readonly<Record<string, readonly number[]>> = {
  '1-1': [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1-2': [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1-3': [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2-1': [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2-2': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const MPEG_RATES = [44_100, 48_000, 32_000] as const;
/** What must not change from frame to frame: version, layer and rate. */
const MPEG_KIND = 0xfffe0c00;

/** Undefined: no frame, or one of no stated length. */
export function mpegFrame(bytes: Uint8Array, at: number): Frame | undefined {
  if (u8(bytes, at) !== 0xff || (u8(bytes, at + 1) & 0xe0) !== 0xe0) return undefined;
  const version = (u8(bytes, at + 1) >> 3) & 3;
  const layer = 4 - ((u8(bytes, at + 1) >> 1) & 3);
  const base = MPEG_RATES[(u8(bytes, at + 2) >> 2) & 3];
  if (version === 1 || layer === 4 || base === undefined) return undefined;
  const isFirst = version === 3;
  const row = isFirst ? `1-${layer}` : layer === 1 ? '2-1' : '2-2';
  const bitrate = MPEG_BITRATES[row]?.[u8(bytes, at + 2) >> 4] ?? 0;
  if (bitrate === 0) return undefined;
  const rate = isFirst ? base : version === 2 ? base / 2 : base / 4;
  const padding = (u8(bytes, at + 2) >> 1) & 1;
  const samples = layer === 1 ? 384 : layer === 3 && !isFirst ? 576 : 1152;
  const length =
    layer === 1
      ? (Math.floor((12_000 * bitrate) / rate) + padding) * 4
      : Math.floor((samples * 125 * bitrate) / rate) + padding;
  return { length, seconds: samples / rate, kind: (u32(bytes, at) & MPEG_KIND) >>> 0 };
}

export const AAC_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
] as const;
export const AAC_SAMPLES = 1024;
const ADTS_HEAD = 7;

export function adtsFrame(bytes: Uint8Array, at: number): Frame | undefined {
  if (u8(bytes, at) !== 0xff || (u8(bytes, at + 1) & 0xf6) !== 0xf0) return undefined;
  const index = (u8(bytes, at + 2) >> 2) & 0xf;
  const rate = AAC_RATES[index];
  const length = (u24(bytes, at + 3) >> 5) & 0x1fff;
  if (rate === undefined || length < ADTS_HEAD) return undefined;
  const blocks = (u8(bytes, at + 6) & 3) + 1;
  return { length, seconds: (AAC_SAMPLES * blocks) / rate, kind: index };
}

/** Tags at the end, and what encoders leave between frames. */
const SPARE_BYTES = 65_536;
const SPARE_SHARE = 0.05;

/** The sum of all frames. Undefined if too much of the file is none: a decoder may find more in it than is found here. */
export function chainSeconds(
  bytes: Uint8Array,
  from: number,
  frameAt: (bytes: Uint8Array, at: number) => Frame | undefined,
): number | undefined {
  let seconds = 0;
  let spare = 0;
  let at = from;
  let last: number | undefined;
  while (at < bytes.length) {
    const frame = frameAt(bytes, at);
    if (frame !== undefined && (frame.kind === last || hasNext(bytes, at, frame, frameAt))) {
      seconds += frame.seconds;
      last = frame.kind;
      at += frame.length;
    } else {
      last = undefined;
      spare++;
      at++;
    }
  }
  return seconds === 0 || spare > SPARE_BYTES + SPARE_SHARE * bytes.length ? undefined : seconds;
}

function hasNext(
  bytes: Uint8Array,
  at: number,
  { length, kind }: Frame,
  frameAt: (bytes: Uint8Array, at: number) => Frame | undefined,
): boolean {
  return at + length >= bytes.length || frameAt(bytes, at + length)?.kind === kind;
}

const ID3_HEAD = 10;

/** Where the sound begins: behind tags, which every decoder skips. */
export function afterTags(bytes: Uint8Array): number {
  let at = 0;
  while (textAt(bytes, at, 3) === 'ID3') {
    const size = [6, 7, 8, 9].reduce((sum, offset) => sum * 128 + (u8(bytes, at + offset) & 0x7f), 0);
    const footer = (u8(bytes, at + 5) & 0x10) === 0 ? 0 : ID3_HEAD;
    at += ID3_HEAD + size + footer;
  }
  return at;
}
