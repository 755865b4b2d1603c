/** Ogg with Opus or Vorbis: all packets of all pages. The positions that pages state are not used. */
import { indexOfText, textAt, u8, u32le } from './bytes.ts';
import { opusSeconds, vorbisSeconds } from './opus.ts';

type Stream = { readonly secondsOf: (at: number) => number; isOpen: boolean };

const HEAD = 27;
const CONTINUED = 1;
const FIRST = 2;

export function oggSeconds(bytes: Uint8Array, start: number): number | undefined {
  const streams = new Map<number, Stream>();
  let seconds = 0;
  let entries = 0;
  // Not from page to page: a page that is none must hide no others.
  for (let at = indexOfText(bytes, 'OggS', start); at >= 0; at = indexOfText(bytes, 'OggS', at + 4)) {
    const serial = u32le(bytes, at + 14);
    const flags = u8(bytes, at + 5);
    const segments = u8(bytes, at + 26);
    const body = at + HEAD + segments;
    // Each has a byte of its own, unless pages overlap.
    entries += segments;
    if (entries > bytes.length) return undefined;
    if ((flags & FIRST) !== 0) {
      const stream = streamOf(bytes, body);
      if (stream === undefined) return undefined;
      streams.set(serial, stream);
      continue;
    }
    const stream = streams.get(serial);
    if (stream === undefined) return undefined;
    let from = body;
    let isNew = !(stream.isOpen && (flags & CONTINUED) !== 0);
    for (let segment = 0; segment < segments; segment++) {
      const size = u8(bytes, at + HEAD + segment);
      if (isNew && size > 0) seconds += stream.secondsOf(from);
      from += size;
      isNew = size < 255;
    }
    stream.isOpen = !isNew;
  }
  return seconds === 0 ? undefined : seconds;
}

const VORBIS_HEAD_BYTES = 30;

function streamOf(bytes: Uint8Array, at: number): Stream | undefined {
  if (textAt(bytes, at, 8) === 'OpusHead')
    return {
      secondsOf: (from) => (textAt(bytes, from, 8) === 'OpusTags' ? 0 : opusSeconds(bytes, from)),
      isOpen: false,
    };
  const longest = vorbisSeconds(bytes, at, at + VORBIS_HEAD_BYTES);
  // Headers have an odd first byte.
  return longest === undefined
    ? undefined
    : { secondsOf: (from) => ((u8(bytes, from) & 1) === 1 ? 0 : longest), isOpen: false };
}
