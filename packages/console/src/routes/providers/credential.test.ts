import { expect, test } from 'vitest';
import { outcomeOf } from './credential.tsx';

const WORKS = { verdict: 'works', status: 200, error: null } as NonNullable<Parameters<typeof outcomeOf>[0]>['outcome'];

test('a verdict is shown for the credential that was tested', () => {
  expect(outcomeOf({ credential: 'sk-1', outcome: WORKS }, 'sk-1')).toBe(WORKS);
  expect(outcomeOf({ credential: undefined, outcome: WORKS }, undefined)).toBe(WORKS);
});

test('a verdict is not shown for a credential that was edited after the test', () =>
  expect(outcomeOf({ credential: 'sk-1', outcome: WORKS }, 'sk-12')).toBeUndefined());
