/**
 * Overlapping blocks → one after the other, for dialects that need a sequence. The first open block streams live; the
 * others are buffered and follow in the order they started.
 */
import type { Event } from '../canonical/events.ts';
import { tooManyOf } from '../canonical/gateway-error.ts';
import { type Machine, NO_LOSSES } from './machine.ts';

type Waiting = { readonly held: Event[]; ended: boolean };

export function sequence(maxHeldCharacters: number): Machine<Event, Event> {
  const waiting = new Map<number, Waiting>();
  let live: number | undefined;
  let held = 0;

  const renumbered = new Map<number, number>();
  const emit = (event: Event, out: Event[]): void => {
    if (event.type === 'block-start') renumbered.set(event.index, renumbered.size);
    out.push('index' in event ? { ...event, index: renumbered.get(event.index) ?? event.index } : event);
  };

  const release = (out: Event[]): void => {
    live = undefined;
    for (const [index, block] of waiting) {
      waiting.delete(index);
      for (const event of block.held) emit(event, out);
      if (block.ended) continue;
      live = index;
      return;
    }
  };

  const hold = (block: Waiting, event: Event): void => {
    held += event.type === 'block-delta' ? event.text.length : 1;
    if (held > maxHeldCharacters) throw tooManyOf(maxHeldCharacters, 'characters of blocks side by side');
    block.held.push(event);
  };

  return {
    push(event) {
      if (!('index' in event)) return [event];
      const out: Event[] = [];
      if (event.type === 'block-start' && live !== undefined) {
        const block: Waiting = { held: [], ended: false };
        waiting.set(event.index, block);
        hold(block, event);
        return out;
      }
      const parked = waiting.get(event.index);
      if (parked !== undefined) {
        hold(parked, event);
        if (event.type === 'block-end') parked.ended = true;
        return out;
      }
      if (event.type === 'block-start') live = event.index;
      emit(event, out);
      if (event.type === 'block-end') release(out);
      return out;
    },
    end: () => [],
    losses: () => NO_LOSSES,
  };
}
