import { expect, test } from 'vitest';
import type { Block } from '../canonical/content.ts';
import type { Event } from '../canonical/events.ts';
import { DistinctCalls, withDistinctCalls } from './distinct-calls.ts';

const call = (id: string): Extract<Block, { kind: 'tool-call' }> => ({
  kind: 'tool-call',
  id,
  name: 'f',
  form: 'function',
  argumentsJson: '{}',
});
const answer = (...ids: string[]) => ({
  id: 'a',
  model: 'm',
  candidates: [{ blocks: ids.map(call), finish: { reason: 'tool-call' as const } }],
  usage: {},
});
const idsOf = (made: ReturnType<typeof withDistinctCalls>): string[] =>
  made.candidates.flatMap(({ blocks }) => blocks.map((block) => (block.kind === 'tool-call' ? block.id : '')));

test('calls with the same id get ids of their own, whole and streamed', () => {
  for (const [given, shown] of [
    [
      ['a', 'a', 'a'],
      ['a', 'a_2', 'a_3'],
    ],
    [
      ['a', 'a_2', 'a'],
      ['a', 'a_2', 'a_3'],
    ],
  ] as const) {
    expect(idsOf(withDistinctCalls(answer(...given)))).toEqual(shown);
    const calls = new DistinctCalls();
    const events = given.map(
      (id, index): Event =>
        calls.of({
          type: 'block-start',
          index,
          candidate: 0,
          block: { kind: 'tool-call', id, name: 'f', form: 'function' },
        }),
    );
    expect(events.map((event) => event.type === 'block-start' && 'id' in event.block && event.block.id)).toEqual(shown);
  }
});

test('an answer whose calls have ids of their own stays the same object', () => {
  for (const made of [answer(), answer('a'), answer('a', 'b')]) expect(withDistinctCalls(made)).toBe(made);
});
