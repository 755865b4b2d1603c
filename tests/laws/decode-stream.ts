/** A stream's bytes, cut anywhere, to events: through the same decoding, framing and dialect as the gateway's. */
import type { Event } from '@trivium/protocol/canonical';
import type { TargetFacts } from '@trivium/protocol/dialects';
import { SseReader } from '@trivium/protocol/framing';
import { PiecewiseUtf8 } from '../../packages/gateway/src/upstream/upstream-call.ts';
import { chat } from './fixture-set.ts';

const MAX_EVENT_LENGTH = 1_000_000;

export function textPieces(pieces: readonly Buffer[]): string[] {
  const utf8 = new PiecewiseUtf8();
  return [...pieces.map((piece) => utf8.write(piece)), utf8.end()];
}

export function decodeStream(pieces: readonly Buffer[], facts: TargetFacts): Event[] {
  const reader = new SseReader(MAX_EVENT_LENGTH);
  const decoder = chat.client.eventDecoder(facts);
  const events: Event[] = [];
  for (const piece of textPieces(pieces)) reader.push(piece, (frame) => events.push(...decoder.push(frame)));
  reader.end((frame) => events.push(...decoder.push(frame)));
  events.push(...decoder.end());
  return events;
}

/** A small generator with a seed, so that a failing sample can be had again. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const EVERY_POSITION_BELOW_BYTES = 8192;
const SAMPLES = 500;

/** Every place to cut in two up to 8 KB, five hundred seeded ones above, then one byte at a time. */
export function* cuttings(bytes: Buffer): Generator<readonly Buffer[]> {
  const random = seeded(bytes.length);
  const everywhere = bytes.length <= EVERY_POSITION_BELOW_BYTES;
  const count = everywhere ? bytes.length + 1 : SAMPLES;
  for (let turn = 0; turn < count; turn++) {
    const at = everywhere ? turn : Math.floor(random() * bytes.length);
    yield [bytes.subarray(0, at), bytes.subarray(at)];
  }
  yield Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
}
