/** MP4 with AAC or ALAC: as many frames as its tables have samples. Stated lengths are not used. */
import { textAt, u8, u16, u32 } from './bytes.ts';
import { AAC_RATES, AAC_SAMPLES } from './mpeg.ts';

const INSIDE: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'moof', 'traf']);
const ALAC_SAMPLES = 4096;
/** `esds` states what is in the frames: MPEG-4 AAC, and the three kinds of MPEG-2. */
const AAC_TYPES: ReadonlySet<number> = new Set([0x40, 0x66, 0x67, 0x68]);

/** More than recordings have: each block is looked up among them. */
const MAX_TRACKS = 64;

type Track = { id: number; handler: string; samples: number; frameSeconds: number | undefined };

export function mp4Seconds(bytes: Uint8Array): number | undefined {
  const tracks: Track[] = [];
  const fragments = new Map<number, number>();
  let fragmentOf = 0;
  let at = 0;
  while (at + 8 <= bytes.length) {
    if (tracks.length > MAX_TRACKS) return undefined;
    const name = textAt(bytes, at + 4, 4);
    if (INSIDE.has(name)) {
      if (name === 'trak') tracks.push({ id: 0, handler: '', samples: 0, frameSeconds: undefined });
      at += 8;
      continue;
    }
    const written = u32(bytes, at);
    const size = written === 1 ? u32(bytes, at + 8) * 2 ** 32 + u32(bytes, at + 12) : written;
    const to = written === 0 ? bytes.length : at + size;
    if (to < at + 8 || to > bytes.length) return undefined;
    const track = tracks.at(-1);
    if (name === 'tfhd') fragmentOf = u32(bytes, at + 12);
    else if (name === 'trun') fragments.set(fragmentOf, (fragments.get(fragmentOf) ?? 0) + u32(bytes, at + 12));
    else if (track !== undefined) {
      if (name === 'tkhd') track.id = u32(bytes, at + (u8(bytes, at + 8) === 1 ? 28 : 20));
      else if (name === 'hdlr') track.handler = textAt(bytes, at + 16, 4);
      else if (name === 'stsz') track.samples += u32(bytes, at + 16);
      else if (name === 'stz2') track.samples += u32(bytes, at + 16);
      else if (name === 'stsd') track.frameSeconds = later(track.frameSeconds, frameOf(bytes.subarray(at, to)));
    }
    at = to;
  }
  return longest(tracks, fragments);
}

/** Decoders differ in which of two they believe. */
const later = (known: number | undefined, next: number | undefined): number | undefined =>
  known === undefined || next === undefined ? next : Math.max(known, next);

function longest(tracks: readonly Track[], fragments: ReadonlyMap<number, number>): number | undefined {
  let seconds = 0;
  for (const { id, handler, samples, frameSeconds } of tracks) {
    if (frameSeconds === undefined) {
      if (handler === 'soun') return undefined;
      continue;
    }
    seconds = Math.max(seconds, (samples + (fragments.get(id) ?? 0)) * frameSeconds);
  }
  return seconds === 0 ? undefined : seconds;
}

/** Of the only entry of `stsd`; several, or one that is not known, tell nothing. */
function frameOf(box: Uint8Array): number | undefined {
  if (u32(box, 12) !== 1) return undefined;
  const name = textAt(box, 20, 4);
  const rate = u16(box, 48);
  if (name === 'alac') {
    const cookie = boxIn(box, 'alac', 52);
    const own = cookie === undefined ? 0 : u32(box, cookie + 32);
    const lowest = own === 0 ? rate : Math.min(own, rate === 0 ? own : rate);
    const samples = Math.max(ALAC_SAMPLES, cookie === undefined ? 0 : u32(box, cookie + 12));
    return lowest === 0 ? undefined : samples / lowest;
  }
  const esds = name === 'mp4a' ? boxIn(box, 'esds', 52) : undefined;
  return esds === undefined ? undefined : aacFrame(box, esds + 12, rate);
}

/** Decoders follow the configuration in `esds`, and some the entry: the slower of both. */
function aacFrame(box: Uint8Array, start: number, entryRate: number): number | undefined {
  let at = start;
  let isAac = false;
  while (at < box.length) {
    const tag = u8(box, at++);
    while ((u8(box, at) & 0x80) !== 0) at++;
    at++;
    if (tag === 3) at += 3;
    else if (tag === 4) {
      isAac = AAC_TYPES.has(u8(box, at));
      at += 13;
    } else if (tag === 5 && isAac) {
      const rate = AAC_RATES[(u16(box, at) >> 7) & 0xf];
      if (rate === undefined || u8(box, at) >> 3 === 31) return undefined;
      return AAC_SAMPLES / (entryRate === 0 ? rate : Math.min(rate, entryRate));
    } else return undefined;
  }
  return undefined;
}

function boxIn(box: Uint8Array, name: string, from: number): number | undefined {
  let at = from;
  while (at + 8 <= box.length) {
    if (textAt(box, at + 4, 4) === name) return at;
    const size = u32(box, at);
    if (size < 8) return undefined;
    at += size;
  }
  return undefined;
}
