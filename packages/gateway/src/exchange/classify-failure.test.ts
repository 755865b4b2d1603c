import type { FaultKind } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import { type Failing, failedOf, verdictOf } from './upstream-error.ts';

const failing = (kind: FaultKind, status: number, more: Partial<Failing> = {}): Failing => ({
  fault: { kind, message: '' },
  status,
  ...more,
});

test.each([
  ['a host that breaks', failing('upstream-broken', 500), 'failed'],
  ['a host that cannot be reached', failing('upstream-overloaded', 0), 'failed'],
  ['a host that is silent', failing('upstream-timeout', 0), 'stalled'],
  ['a refused key', failing('upstream-broken', 401), 'unwelcome'],
  ['a forbidden call', failing('upstream-broken', 403), 'failed'],
  ['a spent key', failing('upstream-over-rate', 429), 'over-rate'],
  ['a spent quota', failing('upstream-overloaded', 429), 'over-rate'],
  ['a rate told in a frame', failing('upstream-over-rate', 200), 'over-rate'],
  ['nonsense from the caller', failing('refused', 400), 'unjudged'],
  ['a caller who left', failing('cancelled', 0), 'unjudged'],
  ['our own mistake', failing('internal', 200), 'unjudged'],
  ['a kept connection that was dead', failing('upstream-broken', 0, { how: 'lapsed' }), 'unjudged'],
] as const)('%s', (_case, given, verdict) => {
  expect(verdictOf(given)).toBe(verdict);
});

test('what cannot have been carried out', () => {
  const isUnexecuted = (given: Failing): boolean => failedOf(given).unexecuted;
  expect(isUnexecuted(failing('upstream-overloaded', 0, { how: 'unsent' }))).toBe(true);
  const unbegun = { kind: 'upstream-over-rate', message: '', unbegun: true } as const;
  expect(isUnexecuted(failing('upstream-over-rate', 429, { fault: unbegun }))).toBe(true);
  expect(isUnexecuted(failing('upstream-broken', 500))).toBe(false);
  expect(isUnexecuted(failing('upstream-timeout', 0))).toBe(false);
});

test('another credential may help where this one was refused, spent or over its rate', () => {
  const isCredential = (status: number): boolean => failedOf(failing('upstream-broken', status)).credential;
  expect([401, 402, 403, 429].every(isCredential)).toBe(true);
  expect([400, 404, 500, 503].some(isCredential)).toBe(false);
  expect(failedOf(failing('upstream-over-rate', 200)).credential).toBe(true);
});
