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
  ['a host that times out', failing('upstream-timeout', 0), 'stalled'],
  ['a refused key', failing('upstream-broken', 401), 'unwelcome'],
  ['a forbidden call', failing('upstream-broken', 403), 'failed'],
  ['a spent key', failing('upstream-over-rate', 429), 'over-rate'],
  ['a spent quota', failing('upstream-overloaded', 429), 'over-rate'],
  ['a rate limit reported in a frame', failing('upstream-over-rate', 200), 'over-rate'],
  ['an invalid request', failing('refused', 400), 'unjudged'],
  ['a disconnected caller', failing('cancelled', 0), 'unjudged'],
  ['a bug of the gateway', failing('internal', 200), 'unjudged'],
  ['a stale pooled connection', failing('upstream-broken', 0, { how: 'lapsed' }), 'unjudged'],
] as const)('%s', (_case, given, verdict) => {
  expect(verdictOf(given)).toBe(verdict);
});

test('failures that prove that nothing was executed', () => {
  const isUnexecuted = (given: Failing): boolean => failedOf(given).unexecuted;
  expect(isUnexecuted(failing('upstream-overloaded', 0, { how: 'unsent' }))).toBe(true);
  const unbegun = { kind: 'upstream-over-rate', message: '', unbegun: true } as const;
  expect(isUnexecuted(failing('upstream-over-rate', 429, { fault: unbegun }))).toBe(true);
  expect(isUnexecuted(failing('upstream-broken', 500))).toBe(false);
  expect(isUnexecuted(failing('upstream-timeout', 0))).toBe(false);
});

test.each([
  ['error', failing('upstream-broken', 500)],
  ['error', failing('upstream-timeout', 0)],
  ['over-rate', failing('upstream-over-rate', 429)],
  ['over-rate', failing('upstream-overloaded', 429)],
  ['context-exceeded', failing('context-exceeded', 400)],
  [
    'content-filter',
    failing('refused', 400, { fault: { kind: 'refused', message: 'm', code: 'content_policy_violation' } }),
  ],
  [
    'content-filter',
    failing('refused', 400, { fault: { kind: 'refused', message: 'Output blocked by content filtering policy' } }),
  ],
  [undefined, failing('refused', 400)],
  [undefined, failing('cancelled', 0)],
] as const)('fallbacks take it for %s', (kind, given) => expect(failedOf(given).kind).toBe(kind));

test('another credential may succeed if this one was refused, used up or rate limited', () => {
  const isCredential = (status: number): boolean => failedOf(failing('upstream-broken', status)).credential;
  expect([401, 402, 403, 429].every(isCredential)).toBe(true);
  expect([400, 404, 500, 503].some(isCredential)).toBe(false);
  expect(failedOf(failing('upstream-over-rate', 200)).credential).toBe(true);
});
