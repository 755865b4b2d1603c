/** Uncompressed sound in RIFF. What the headers say about sizes is not used: all bytes after the header of `data` are sound. */
import { textAt, u16le, u32le } from './bytes.ts';

/** PCM, floats, and the two telephone laws: a sample is a sample, at every decoder. */
const PLAIN = new Set([1, 3, 6, 7]);
const EXTENSIBLE = 0xfffe;
const MAX_RATE = 192_000;
const CHUNK_HEAD = 8;
const MAX_CHUNKS = 1000;

export function wavSeconds(bytes: Uint8Array): number | undefined {
  let bytesPerSecond: number | undefined;
  let at = 12;
  for (let chunks = 0; chunks < MAX_CHUNKS && at + CHUNK_HEAD <= bytes.length; chunks++) {
    const name = textAt(bytes, at, 4);
    const size = u32le(bytes, at + 4);
    const from = at + CHUNK_HEAD;
    if (name === 'data') return bytesPerSecond === undefined ? undefined : (bytes.length - from) / bytesPerSecond;
    if (name === 'fmt ') {
      // Decoders differ in which of two they believe.
      if (bytesPerSecond !== undefined) return undefined;
      bytesPerSecond = rateOf(bytes, from);
      if (bytesPerSecond === undefined) return undefined;
    }
    at = from + size + (size & 1);
  }
  return undefined;
}

function rateOf(bytes: Uint8Array, at: number): number | undefined {
  const written = u16le(bytes, at);
  const format = written === EXTENSIBLE ? u16le(bytes, at + 24) : written;
  const channels = u16le(bytes, at + 2);
  const rate = u32le(bytes, at + 4);
  const width = Math.ceil(u16le(bytes, at + 14) / 8);
  const isPlain = PLAIN.has(format) && rate <= MAX_RATE && channels <= 8 && width <= 8;
  return isPlain && channels * rate * width > 0 ? channels * rate * width : undefined;
}
