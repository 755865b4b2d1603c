import { expect, test } from 'vitest';
import { type TimeoutSettings, waitsOf } from './timeouts.ts';

const general = { firstByteMs: 100, silenceMs: 10, idleMs: 40, totalMs: 1000 };
const none = { fast: {}, standard: {}, reasoning: {}, media: {} };
const timeouts = (classes: Partial<TimeoutSettings['classes']>): TimeoutSettings =>
  ({ ...general, classes: { ...none, ...classes } }) as unknown as TimeoutSettings;

test('absent values of a class are derived from the general timeouts', () => {
  expect(waitsOf(timeouts({}))).toEqual({
    fast: { firstByteMs: 50, silenceMs: 5, idleMs: 20, totalMs: 1000 },
    standard: general,
    reasoning: { firstByteMs: 500, silenceMs: 50, idleMs: 200, totalMs: 1000 },
    media: { firstByteMs: 500, silenceMs: 50, idleMs: 200, totalMs: 1000 },
  });
});

test('a value of a class applies to that class only', () => {
  const { reasoning, standard } = waitsOf(timeouts({ reasoning: { firstByteMs: 7, totalMs: 9 } }));
  expect(reasoning).toEqual({ firstByteMs: 7, silenceMs: 50, idleMs: 200, totalMs: 9 });
  expect(standard).toEqual(general);
});

test('the idle timeout is at least the silence timeout', () => {
  const { standard } = waitsOf(timeouts({ standard: { silenceMs: 100 } }));
  expect(standard).toMatchObject({ silenceMs: 100, idleMs: 100 });
});
