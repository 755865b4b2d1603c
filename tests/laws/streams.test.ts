/** Laws of streams, over every fixture: cutting, grammar, folding, sequence, and agreement with the whole answer. */
import { type Event, mergeUsage, type TextAnswer, type Usage } from '@trivium/protocol/canonical';
import { fold, grammarProblem, sequence, unfold } from '@trivium/protocol/stream';
import { describe, expect, test } from 'vitest';
import { VerbatimStream } from '../../packages/gateway/src/calls/lanes/verbatim.ts';
import { cuttings, decodeStream, textPieces } from './decode-stream.ts';
import { canonicalOf, chat, contextOf, fixtures, targetOf } from './fixture-set.ts';

const MAX_HELD = 1_000_000;
const LIMITS = { eventLength: 1_000_000, jsonDepth: 64 };

function sequenced(events: readonly Event[]): Event[] {
  const machine = sequence(MAX_HELD);
  return [...events.flatMap((event) => machine.push(event)), ...machine.end()];
}

/** True when no block begins before the one before it has ended. */
function isSequential(events: readonly Event[]): boolean {
  let open = 0;
  for (const event of events) {
    if (event.type === 'block-start' && ++open > 1) return false;
    if (event.type === 'block-end') open--;
  }
  return true;
}

const usageIn = (events: readonly Event[]): Usage =>
  events.reduce<Usage>((sum, event) => (event.type === 'usage-update' ? mergeUsage(sum, event.usage) : sum), {});

describe.each(fixtures)('$name', ({ name, stream, facts }) => {
  const events = decodeStream([stream], facts);

  test('a stream cut anywhere gives the same events', () => {
    const expected = JSON.stringify(events);
    for (const pieces of cuttings(stream)) {
      if (JSON.stringify(decodeStream(pieces, facts)) === expected) continue;
      expect(decodeStream(pieces, facts), `cut after byte ${pieces[0]?.length}`).toEqual(events);
    }
  });

  test('the caller of the verbatim lane gets the same bytes however the stream is cut', () => {
    const relayed = (pieces: readonly Buffer[]): string => {
      const pump = new VerbatimStream(chat, contextOf(), targetOf(facts), LIMITS);
      return (
        textPieces(pieces)
          .map((piece) => pump.push(piece))
          .join('') + pump.end()
      );
    };
    const expected = relayed([stream]);
    for (const pieces of cuttings(stream))
      if (relayed(pieces) !== expected) expect(relayed(pieces), `cut after byte ${pieces[0]?.length}`).toBe(expected);
  });

  test('the events satisfy the grammar', () => {
    expect(grammarProblem(events)).toBeUndefined();
  });

  test('unfold and fold give the same answer', () => {
    const answer = fold(events);
    expect(fold(unfold(answer))).toEqual(answer);
    expect(grammarProblem(unfold(answer))).toBeUndefined();
    expect(fold(unfold(withoutMinted(canonicalOf(name).answer)))).toEqual(withoutMinted(canonicalOf(name).answer));
  });

  test('sequencing gives one block after the other, and the same answer', () => {
    const after = sequenced(events);
    expect(isSequential(after)).toBe(true);
    expect(grammarProblem(after)).toBeUndefined();
    expect(fold(after)).toEqual(fold(events));
  });

  test('the streamed answer equals the whole answer', () => {
    expect(fold(events)).toEqual(withoutMinted(canonicalOf(name).answer));
  });

  test('the usage tap of the verbatim lane reads what the full decoder reads', () => {
    const pump = new VerbatimStream(chat, contextOf(), targetOf(facts), LIMITS);
    pump.push(stream.toString('utf8'));
    pump.end();
    expect(pump.fault).toBeUndefined();
    expect(pump.meter.reading.usage).toEqual(usageIn(events));
    expect(pump.meter.reading.usage).toEqual(canonicalOf(name).answer.usage);
    expect(pump.meter.reading.reported).toBe(Object.keys(canonicalOf(name).answer.usage).length > 0);
  });
});

/** That an id was made up is known of whole answers only; in a stream it is an id like any other. */
const withoutMinted = (answer: TextAnswer): TextAnswer => ({
  ...answer,
  candidates: answer.candidates.map((candidate) => ({
    ...candidate,
    blocks: candidate.blocks.map((block) => {
      if (block.kind !== 'tool-call') return block;
      const { idMinted: _, ...rest } = block;
      return rest;
    }),
  })),
});

test('the fixtures include overlapping blocks, so that sequencing is tested', () => {
  expect(fixtures.some(({ stream, facts }) => !isSequential(decodeStream([stream], facts)))).toBe(true);
});
