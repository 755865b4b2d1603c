/** WebM and Matroska with Opus or Vorbis: all blocks of all clusters. Stated lengths and times are not used. */
import { textAt, u8 } from './bytes.ts';
import { MOST_OPUS_SECONDS, opusSeconds, vorbisSeconds } from './opus.ts';

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const BLOCK_GROUP = 0xa0;
const TRACKS = 0x1654ae6b;
const TRACK = 0xae;
const NUMBER = 0xd7;
const CODEC = 0x86;
const PRIVATE = 0x63a2;
const ENCODINGS = 0x6d80;
const SIMPLE_BLOCK = 0xa3;
const BLOCK = 0xa1;
const VIDEO = 0xe0;

const INSIDE: ReadonlySet<number> = new Set([SEGMENT, CLUSTER, BLOCK_GROUP, TRACKS, TRACK]);
const LACED = 0x06;

/** More than recordings have: each block is looked up among them. */
const MAX_TRACKS = 64;

type Track = { number: number; codec: string; vorbis: number | undefined; isVideo: boolean };

export function webmSeconds(bytes: Uint8Array): number | undefined {
  const tracks: Track[] = [];
  let seconds = 0;
  let at = 0;
  while (at < bytes.length) {
    if (tracks.length > MAX_TRACKS) return undefined;
    const idBytes = Math.clz32(u8(bytes, at)) - 23;
    const id = numberAt(bytes, at, idBytes, false);
    const sizeBytes = Math.clz32(u8(bytes, at + idBytes)) - 23;
    if (idBytes > 4 || sizeBytes > 8) return undefined;
    const from = at + idBytes + sizeBytes;
    if (INSIDE.has(id)) {
      if (id === TRACK) tracks.push({ number: 0, codec: '', vorbis: undefined, isVideo: false });
      at = from;
      continue;
    }
    const size = numberAt(bytes, at + idBytes, sizeBytes, true);
    const to = from + size;
    // Decoders look for more behind what is broken.
    if (to > bytes.length || (id === EBML && at > 0)) return undefined;
    const track = tracks.at(-1);
    if (track !== undefined) {
      if (id === NUMBER) track.number = numberAt(bytes, from, size, false);
      else if (id === CODEC) track.codec = textAt(bytes, from, Math.min(size, 16));
      else if (id === PRIVATE) track.vorbis = vorbisSeconds(bytes, from, to);
      else if (id === VIDEO) track.isVideo = true;
      else if (id === ENCODINGS) return undefined;
    }
    if (id === SIMPLE_BLOCK || id === BLOCK) {
      const heard = blockSeconds(bytes, from, tracks);
      if (heard === undefined) return undefined;
      seconds += heard;
    }
    at = to;
  }
  return seconds === 0 ? undefined : seconds;
}

function blockSeconds(bytes: Uint8Array, at: number, tracks: readonly Track[]): number | undefined {
  const numberBytes = Math.clz32(u8(bytes, at)) - 23;
  const number = numberAt(bytes, at, numberBytes, true);
  const track = tracks.find((one) => one.number === number);
  if (track === undefined) return undefined;
  const flags = u8(bytes, at + numberBytes + 2);
  const from = at + numberBytes + 3;
  const frames = (flags & LACED) === 0 ? 1 : u8(bytes, from) + 1;
  if (track.codec.startsWith('A_OPUS')) return frames === 1 ? opusSeconds(bytes, from) : frames * MOST_OPUS_SECONDS;
  if (track.codec.startsWith('A_VORBIS')) return track.vorbis === undefined ? undefined : frames * track.vorbis;
  return track.codec.startsWith('V_') && track.isVideo ? 0 : undefined;
}

function numberAt(bytes: Uint8Array, at: number, length: number, isMarked: boolean): number {
  let value = isMarked ? u8(bytes, at) & ((1 << (8 - length)) - 1) : u8(bytes, at);
  for (let index = 1; index < length; index++) value = value * 0x100 + u8(bytes, at + index);
  return value;
}
