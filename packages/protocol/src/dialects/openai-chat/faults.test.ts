import { describe, expect, test } from 'vitest';
import { FINISH_REASONS, type FinishReason } from '../../canonical/events.ts';
import { FAULT_KINDS, type FaultKind } from '../../canonical/fault.ts';
import type { Json } from '../../canonical/json.ts';
import { decodeFault, encodeFault, faultInside } from './faults.ts';
import { isFailure, readFinish, writeFinish } from './finish.ts';

const WORDS: Readonly<Record<FaultKind, string>> = {
  malformed: 'invalid_request_error/invalid_value',
  unsupported: 'invalid_request_error/unsupported',
  unauthenticated: 'invalid_request_error/invalid_api_key',
  'over-budget': 'insufficient_quota/insufficient_quota',
  'over-cap': 'insufficient_quota/insufficient_quota',
  forbidden: 'permission_error/permission_denied',
  'unknown-model': 'invalid_request_error/model_not_found',
  'unknown-route': 'invalid_request_error/unknown_url',
  'unknown-operation': 'invalid_request_error/model_not_found',
  'method-not-allowed': 'invalid_request_error/method_not_allowed',
  'too-large': 'invalid_request_error/request_too_large',
  'wrong-media-type': 'invalid_request_error/unsupported_media_type',
  'idempotency-mismatch': 'invalid_request_error/idempotency_mismatch',
  'upgrade-required': 'invalid_request_error/upgrade_required',
  'headers-too-large': 'invalid_request_error/headers_too_large',
  'over-rate': 'rate_limit_error/rate_limit_exceeded',
  refused: 'invalid_request_error/invalid_value',
  'context-exceeded': 'invalid_request_error/context_length_exceeded',
  'upstream-over-rate': 'rate_limit_error/rate_limit_exceeded',
  'upstream-overloaded': 'server_error/overloaded',
  'upstream-timeout': 'server_error/timeout',
  'upstream-broken': 'server_error/upstream_error',
  overloaded: 'server_error/overloaded',
  cancelled: 'invalid_request_error/cancelled',
  internal: 'server_error/internal_error',
};

test.each(FAULT_KINDS)('%s has its type and code', (kind) => {
  const [type, code] = WORDS[kind].split('/');
  expect(encodeFault({ kind, message: 'm' }).body).toEqual({ error: { message: 'm', type, param: null, code } });
});
test('a specific code and a field are in their own members', () => {
  expect(encodeFault({ kind: 'refused', message: 'm', field: 'f', code: 'c' }).body).toMatchObject({
    error: { param: 'f', code: 'c' },
  });
});

test.each<[number, FaultKind]>([
  [400, 'refused'],
  [413, 'refused'],
  [422, 'refused'],
  [429, 'upstream-over-rate'],
  [408, 'upstream-timeout'],
  [504, 'upstream-timeout'],
  [503, 'upstream-overloaded'],
  [529, 'upstream-overloaded'],
  [401, 'upstream-broken'],
  [403, 'upstream-broken'],
  [404, 'upstream-broken'],
  [500, 'upstream-broken'],
])('status %i means %s', (status, kind) => {
  expect(decodeFault(status, undefined).kind).toBe(kind);
  const decoded = decodeFault(status, { error: { message: 'secret', param: 'p', code: 'c' } });
  expect(decoded.kind).toBe(kind);
  if (kind === 'refused') expect(decoded).toEqual({ kind, message: 'secret', field: 'p', code: 'c' });
  else expect(JSON.stringify(decoded)).not.toContain('secret');
});
test('a refusal without a message gets the gateway’s, and nothing else', () => {
  expect(decodeFault(400, 'html')).toEqual({ kind: 'refused', message: expect.any(String) });
});
test.each<[Json]>([[{ code: 'insufficient_quota' }], [{ type: 'insufficient_quota' }]])(
  'a quota used up is no rate: %j',
  (error) => expect(decodeFault(429, { error }).kind).toBe('upstream-overloaded'),
);

describe('a failure inside a 200', () => {
  test.each<[Json, FaultKind]>([
    [{ code: 429 }, 'upstream-over-rate'],
    [{ status: 503 }, 'upstream-overloaded'],
    [{ code: 400 }, 'refused'],
    [{ code: 399 }, 'upstream-broken'],
    [{ code: 600 }, 'upstream-broken'],
    [{ code: '429' }, 'upstream-broken'],
    [true, 'upstream-broken'],
  ])('%j', (error, kind) => {
    expect(faultInside({ error })?.kind).toBe(kind);
  });
});

const ENDS: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  'context-full': 'length',
  'tool-call': 'tool_calls',
  filter: 'content_filter',
  refusal: 'content_filter',
  recitation: 'content_filter',
  pause: 'length',
  'bad-tool-call': 'stop',
  'no-image': 'content_filter',
  other: 'stop',
};
test.each(FINISH_REASONS)('an answer that ended by %s', (reason) => {
  expect(writeFinish(reason, false)).toBe(ENDS[reason]);
});
test.each(['error', 'network_error', 'insufficient_system_resource'])('%s means that the host failed', (word) => {
  expect(isFailure(word)).toBe(true);
});
test('only a plain stop after calls is a call', () => {
  expect(readFinish('stop', true)).toBe('tool-call');
  expect(readFinish('content_filter', true)).toBe('filter');
  expect(isFailure('stop')).toBe(false);
});
