import { describe, expect, test } from 'vitest';
import {
  follow,
  isOver,
  OPERATION_STATES,
  type OperationEventName,
  type OperationState,
  TRANSITIONS,
} from './states.ts';

const EVENTS = Object.keys(TRANSITIONS) as OperationEventName[];

/** Every road through the table, with what happened to the hold on each. */
function roads(state: OperationState, seen: readonly OperationState[]): readonly (readonly OperationEventName[])[] {
  if (isOver(state)) return [[]];
  return EVENTS.flatMap((event) => {
    const next = follow(state, event);
    if (next === undefined || seen.includes(next.to)) return [];
    return roads(next.to, [...seen, next.to]).map((rest) => [event, ...rest]);
  });
}

describe('the life of an operation', () => {
  test('what is over stays as it is', () => {
    for (const state of OPERATION_STATES.filter(isOver))
      for (const event of EVENTS) expect(follow(state, event), `${event} in ${state}`).toBeUndefined();
  });

  test('every road ends, and the hold is closed exactly once on it, by the last step', () => {
    const all = roads('submitting', ['submitting']);
    expect(all.length).toBeGreaterThan(5);
    for (const road of all) {
      const closings = road.filter((event) => TRANSITIONS[event].hold !== 'stays');
      expect(closings, road.join(' → ')).toEqual(road.slice(-1));
    }
  });

  test('money is taken only for what was finished', () => {
    expect(EVENTS.filter((event) => TRANSITIONS[event].hold === 'settles')).toEqual(['finished']);
  });

  test('an end closes the hold, and nothing else does', () => {
    for (const event of EVENTS) {
      const { to, hold } = TRANSITIONS[event];
      expect(isOver(to), event).toBe(hold !== 'stays');
    }
  });

  test('an answer that comes after all still counts, unless it was given up', () => {
    expect(follow('unknown', 'accepted')?.to).toBe('running');
    expect(follow('failed', 'accepted')).toBeUndefined();
    expect(follow('unknown', 'refused')).toBeUndefined();
  });

  test('a submission is only ever lost or refused once', () => {
    for (const state of OPERATION_STATES.filter((one) => one !== 'submitting')) {
      expect(follow(state, 'lost'), state).toBeUndefined();
      expect(follow(state, 'refused'), state).toBeUndefined();
    }
  });
});
