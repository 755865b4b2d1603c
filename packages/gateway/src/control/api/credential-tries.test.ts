import { expect, test } from 'vitest';
import { CredentialTries } from './credential-tries.ts';

test('an address has 100 wrong tries, then one a second, and right credentials pass all the same', () => {
  const tries = new CredentialTries();
  tries.succeeded('right');
  const guesses = (count: number, nowMs: number): number => {
    let looked = 0;
    for (let guess = 0; guess < count; guess++)
      try {
        tries.requireTry('10.0.0.1', `guess-${nowMs}-${guess}`, nowMs);
        looked++;
        tries.failed('10.0.0.1', `guess-${nowMs}-${guess}`, nowMs);
      } catch {}
    return looked;
  };
  expect([guesses(300, 0), guesses(300, 500), guesses(300, 1000), guesses(300, 6000)]).toEqual([100, 0, 1, 5]);
  expect(() => tries.requireTry('10.0.0.1', 'right', 6000)).not.toThrow();
  expect(() => tries.requireTry('10.0.0.1', 'new', 6000)).toThrow('Too many wrong credentials');
  expect(() => tries.requireTry('10.0.0.2', 'new', 6000)).not.toThrow();
  // A key that was withdrawn counts as wrong from then on.
  tries.failed('10.0.0.1', 'right', 6000);
  expect(() => tries.requireTry('10.0.0.1', 'right', 6000)).toThrow();
});
