/** Every recorded stream: the laws of streams, the vendor's own total, and every protocol's frames. */
import { fold, grammarProblem } from '@trivium/protocol/stream';
import { describe, expect, test } from 'vitest';
import { VerbatimStream } from '../../packages/gateway/src/calls/lanes/verbatim.ts';
import { factsOfHost } from '../../scripts/recorded/host-facts.ts';
import {
  decodedEvents,
  dialectOf,
  meteredTotal,
  readStream,
  recordedContext,
  usageOfFrames,
  vendorTotal,
} from '../../scripts/recorded/judge.ts';
import { textPieces } from '../laws/decode-stream.ts';
import { targetOf } from '../laws/fixture-set.ts';
import { dressedFrames, wireText } from './dress-stream.ts';
import { STREAM_HOLES, USAGE_HOLES } from './holes.ts';
import { shapesOf, TEXT_DIALECTS } from './shape-set.ts';

const LIMITS = { eventLength: 1_000_000, jsonDepth: 64 };
/** Cuts of each stream in two, spread over its whole length; and one into single bytes. */
const CUTS = 12;

function* cuttings(bytes: Buffer): Generator<readonly Buffer[]> {
  for (let turn = 1; turn < CUTS; turn++) {
    const at = Math.floor((bytes.length * turn) / CUTS);
    yield [bytes.subarray(0, at), bytes.subarray(at)];
  }
  yield Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
}

describe.each(shapesOf('stream', ...TEXT_DIALECTS))('$id of $vendor ($seenIn)', (shape) => {
  const { id, dialect: name, vendor } = shape;
  const dialect = dialectOf(name);
  const facts = factsOfHost(vendor, name);
  const frames = dressedFrames(shape);
  const text = wireText(frames);
  const { events, answer, fault } = readStream(text, dialect, facts);
  const relayed = (pieces: readonly string[]): { readonly pump: VerbatimStream; readonly out: string } => {
    const pump = new VerbatimStream(dialect, recordedContext, { ...targetOf(facts), dialect }, LIMITS);
    return { pump, out: pieces.map((piece) => pump.push(piece)).join('') + pump.end() };
  };

  test('a recorded stream is decoded, or its hole is explained', () => {
    if (fault === undefined) expect(STREAM_HOLES[id]).toBeUndefined();
    else expect(STREAM_HOLES[id], fault.message).toBeDefined();
    if (events.length > 1) expect(grammarProblem(events)).toBeUndefined();
  });

  test('the usage of a recorded stream equals the vendor’s count', () => {
    const datas = frames.flatMap((frame) => ('data' in frame ? [frame.data] : []));
    const total = vendorTotal(name, usageOfFrames(name, datas));
    if (total === undefined) return;
    if (id in USAGE_HOLES) expect(meteredTotal(answer.usage)).not.toBe(total);
    else expect(meteredTotal(answer.usage)).toBe(total);
  });

  test('a recorded stream gives the same events however it is cut and framed', () => {
    const expected = JSON.stringify(events);
    for (const pieces of cuttings(Buffer.from(text)))
      expect(JSON.stringify(decodedEvents(textPieces(pieces), dialect, facts))).toBe(expected);
    expect(JSON.stringify(decodedEvents([wireText(frames, '\r\n')], dialect, facts))).toBe(expected);
  });

  test('a recorded stream passes verbatim however it is cut, with the decoded usage', () => {
    const whole = relayed([text]);
    for (const pieces of cuttings(Buffer.from(text))) expect(relayed(textPieces(pieces)).out).toBe(whole.out);
    expect(whole.pump.fault?.kind).toBe(fault?.kind);
    expect(whole.pump.meter.reading.usage).toEqual(answer.usage);
  });

  test.each(TEXT_DIALECTS)('a recorded stream is encoded for callers of %s', (caller) => {
    const encoder = dialectOf(caller).server.eventEncoder(recordedContext);
    const encoded = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()];
    for (const frame of encoded) if (frame.data !== '[DONE]') JSON.parse(frame.data);
    if (fault === undefined) expect(encoded.length).toBeGreaterThan(0);
  });

  test('no text of a recorded stream is returned twice', () => {
    const texts = fold(events)
      .candidates.flatMap((candidate) => candidate.blocks)
      .flatMap((block) => (block.kind === 'text' ? [block.text] : []));
    if (name === 'openai-responses') expect(texts.join('').length).toBe(deltaLength(frames));
  });
});

/** The text of the message deltas; these recordings have no items without deltas. */
const deltaLength = (frames: ReturnType<typeof dressedFrames>): number =>
  frames.reduce((sum, frame) => {
    if (!('data' in frame) || !frame.data.includes('"response.output_text.delta"')) return sum;
    return sum + (JSON.parse(frame.data) as { delta: string }).delta.length;
  }, 0);
