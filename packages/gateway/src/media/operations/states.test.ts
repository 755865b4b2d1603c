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

/** Every path through the table, with the effect on the hold of each step. */
function roads(state: OperationState, seen: readonly OperationState[]): readonly (readonly OperationEventName[])[] {
  if (isOver(state)) return [[]];
  return EVENTS.flatMap((event) => {
    const next = follow(state, event);
    if (next === undefined || seen.includes(next.to)) return [];
    return roads(next.to, [...seen, next.to]).map((rest) => [event, ...rest]);
  });
}

describe('the state machine of an operation', () => {
  test('a finished operation does not change', () => {
    for (const state of OPERATION_STATES.filter(isOver))
      for (const event of EVENTS) expect(follow(state, event), `${event} in ${state}`).toBeUndefined();
  });

  test('every path ends, and its last step closes the hold, exactly once', () => {
    const all = roads('submitting', ['submitting']);
    expect(all.length).toBeGreaterThan(5);
    for (const road of all) {
      const closings = road.filter((event) => TRANSITIONS[event].hold !== 'stays');
      expect(closings, road.join(' → ')).toEqual(road.slice(-1));
    }
  });

  test('only a finished operation is charged', () => {
    expect(EVENTS.filter((event) => TRANSITIONS[event].hold === 'settles')).toEqual(['finished']);
  });

  test('the end closes the hold, and nothing else does', () => {
    for (const event of EVENTS) {
      const { to, hold } = TRANSITIONS[event];
      expect(isOver(to), event).toBe(hold !== 'stays');
    }
  });

  test('a late answer still counts, unless the operation was given up', () => {
    expect(follow('unknown', 'accepted')?.to).toBe('running');
    expect(follow('failed', 'accepted')).toBeUndefined();
    expect(follow('unknown', 'refused')).toBeUndefined();
  });

  test('a submission is lost or refused only once', () => {
    for (const state of OPERATION_STATES.filter((one) => one !== 'submitting')) {
      expect(follow(state, 'lost'), state).toBeUndefined();
      expect(follow(state, 'refused'), state).toBeUndefined();
    }
  });
});
