/** The same laws on generated answers, and on streams with randomly overlapping blocks. */
import type { Event, TextAnswer } from '@trivium/protocol/canonical';
import { fold, grammarProblem, sequence, unfold } from '@trivium/protocol/stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../support/nightly.ts';
import { answers } from './generated-answers.ts';

const MAX_HELD = 1_000_000;

/** The blocks' events dealt out in another order: each block keeps its own, blocks begin in turn. */
function interleaved(events: readonly Event[], random: () => number): Event[] {
  const lanes: Event[][] = [];
  const before: Event[] = [];
  const after: Event[] = [];
  for (const event of events) {
    if ('index' in event) lanes[event.index] = [...(lanes[event.index] ?? []), event];
    else (lanes.length === 0 ? before : after).push(event);
  }
  const started: Event[][] = [];
  const mixed: Event[] = [];
  while (lanes.length > 0 || started.some((lane) => lane.length > 0)) {
    const next = lanes.length > 0 && random() < 0.5 ? lanes.shift() : undefined;
    if (next !== undefined) started.push(next);
    const lane = started.filter((candidate) => candidate.length > 0);
    const chosen = next ?? lane[Math.floor(random() * lane.length)];
    const event = chosen?.shift();
    if (event !== undefined) mixed.push(event);
  }
  return [...before, ...mixed, ...after];
}

test('fold after unfold is the same answer, and its events satisfy the grammar', () => {
  fc.assert(
    fc.property(answers, (answer: TextAnswer) => {
      const events = unfold(answer);
      expect(grammarProblem(events)).toBeUndefined();
      expect(fold(events)).toEqual(answer);
    }),
    { numRuns: runs(1000) },
  );
});

test('sequence puts any overlap of blocks in order and loses nothing', () => {
  fc.assert(
    fc.property(answers, fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })), (answer, dice) => {
      const mixed = interleaved(unfold(answer), () => dice.next().value ?? 0);
      expect(grammarProblem(mixed)).toBeUndefined();
      const machine = sequence(MAX_HELD);
      const after = [...mixed.flatMap((event) => machine.push(event)), ...machine.end()];
      expect(grammarProblem(after)).toBeUndefined();
      let open = 0;
      for (const event of after) {
        if (event.type === 'block-start') expect(++open).toBe(1);
        if (event.type === 'block-end') open--;
      }
      expect(fold(after)).toEqual(answer);
    }),
    { numRuns: runs(500) },
  );
});

test('sequence refuses to hold more than its bound', () => {
  const machine = sequence(10);
  const start = (index: number): Event => ({ type: 'block-start', index, candidate: 0, block: { kind: 'text' } });
  machine.push(start(0));
  machine.push(start(1));
  expect(() => machine.push({ type: 'block-delta', index: 1, text: 'x'.repeat(10) })).toThrow(
    'more than 10 characters of blocks side by side',
  );
});
