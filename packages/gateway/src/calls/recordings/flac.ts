/** FLAC: every frame says how many samples it has. The table at the start is used for a rate that frames leave out only. */
import { u8, u16, u24 } from './bytes.ts';

const RATES = [0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000] as const;
const STREAM_RATE_AT = 18;

export function flacSeconds(bytes: Uint8Array, start: number): number | undefined {
  const streamRate = u24(bytes, start + STREAM_RATE_AT) >> 4;
  let seconds = 0;
  for (let at = start; at < bytes.length; at++) {
    if (bytes[at] !== 0xff || (u8(bytes, at + 1) & 0xfe) !== 0xf8) continue;
    const frame = frameAt(bytes, at, streamRate);
    if (frame === 'unknown') return undefined;
    seconds += frame;
  }
  return seconds === 0 ? undefined : seconds;
}

/** Zero: no frame. */
function frameAt(bytes: Uint8Array, at: number, streamRate: number): number | 'unknown' {
  const sizeCode = u8(bytes, at + 2) >> 4;
  const rateCode = u8(bytes, at + 2) & 0xf;
  const channels = u8(bytes, at + 3) >> 4;
  if (sizeCode === 0 || rateCode === 15 || channels > 10 || (u8(bytes, at + 3) & 1) === 1) return 0;
  let next = at + 4 + numberBytes(u8(bytes, at + 4));
  const samples =
    sizeCode === 1
      ? 192
      : sizeCode < 6
        ? 576 << (sizeCode - 2)
        : sizeCode === 6
          ? u8(bytes, next) + 1
          : sizeCode === 7
            ? u16(bytes, next) + 1
            : 256 << (sizeCode - 8);
  if (sizeCode === 6) next += 1;
  if (sizeCode === 7) next += 2;
  let rate: number = RATES[rateCode] ?? 0;
  if (rateCode === 0) rate = streamRate;
  else if (rateCode === 12) rate = u8(bytes, next++) * 1000;
  else if (rateCode > 12) {
    rate = u16(bytes, next) * (rateCode === 14 ? 10 : 1);
    next += 2;
  }
  if (crc8(bytes, at, next) !== u8(bytes, next)) return 0;
  return rate === 0 ? 'unknown' : samples / rate;
}

/** Of a frame's number, which is written like a character of UTF-8. */
const numberBytes = (first: number): number => Math.max(1, Math.clz32(~(first << 24)));

function crc8(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0;
  for (let at = from; at < to; at++) {
    crc ^= u8(bytes, at);
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x80) === 0 ? crc << 1 : ((crc << 1) ^ 0x07) & 0xff;
  }
  return crc;
}
