/** How long a packet of Opus or Vorbis is. */
import { indexOfText, u8, u32le } from './bytes.ts';

/** By the configuration in the first byte (RFC 6716, 3.1), in milliseconds: four kinds of each. */
const SILK_MS = [10, 20, 40, 60] as const;
const HYBRID_MS = [10, 20] as const;
const CELT_MS = [2.5, 5, 10, 20] as const;
const MAX_PACKET_SECONDS = 0.12;

export function opusSeconds(bytes: Uint8Array, at: number): number {
  const toc = u8(bytes, at);
  const config = toc >> 3;
  const ms = config < 12 ? SILK_MS[config & 3] : config < 16 ? HYBRID_MS[config & 1] : CELT_MS[config & 3];
  const code = toc & 3;
  const frames = code === 0 ? 1 : code === 3 ? u8(bytes, at + 1) & 0x3f : 2;
  return Math.min(MAX_PACKET_SECONDS, ((ms ?? 0) * frames) / 1000);
}

export const MOST_OPUS_SECONDS = MAX_PACKET_SECONDS;

const VORBIS_RATE_AT = 12;
const VORBIS_BLOCKS_AT = 28;

/** The longest that a packet can be, by the first header; most packets are. */
export function vorbisSeconds(bytes: Uint8Array, from: number, to: number): number | undefined {
  const at = indexOfText(bytes, '\x01vorbis', from);
  if (at < 0 || at >= to) return undefined;
  const rate = u32le(bytes, at + VORBIS_RATE_AT);
  return rate === 0 ? undefined : 2 ** (u8(bytes, at + VORBIS_BLOCKS_AT) >> 4) / 2 / rate;
}
