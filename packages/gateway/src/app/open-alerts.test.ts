import { expect, test } from 'vitest';
import { staleOf } from './open-alerts.ts';

const NOW_MS = Date.UTC(2026, 10, 18);
const MINUTE_MS = 60_000;
const ago = (minutes: number): number => NOW_MS - minutes * MINUTE_MS;
const state = { name: 'x', endsAtMs: null, failedAtMs: NOW_MS, issuedAtMs: null, renewAtMs: null, failure: 'away' };

test.each([
  ['a secret read 14 minutes ago', { issuedAtMs: ago(14) }, false],
  ['a secret read 15 minutes ago', { issuedAtMs: ago(15) }, true],
  ['one that is old without a failure', { issuedAtMs: ago(600), failure: null }, false],
  ['a secret that was never read', {}, true],
  ['a credential whose renewal is due', { issuedAtMs: ago(55), renewAtMs: ago(0.5) }, false],
  ['a credential whose renewal is late', { issuedAtMs: ago(56), renewAtMs: ago(1) }, true],
])('%s', (_name, changes, isStale) => {
  expect(staleOf([{ ...state, ...changes }], NOW_MS)).toHaveLength(Number(isStale));
});
