/** Failures in this dialect's words: two total tables, one in each direction. */
import { FAULT_RULES, type Fault, type FaultKind } from '../../canonical/fault.ts';
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import type { EncodedFault } from '../dialect.ts';

type WireFault = { readonly type: string; readonly code: string };

const WRITE: Readonly<Record<FaultKind, WireFault>> = {
  malformed: { type: 'invalid_request_error', code: 'invalid_value' },
  unsupported: { type: 'invalid_request_error', code: 'unsupported' },
  unauthenticated: { type: 'invalid_request_error', code: 'invalid_api_key' },
  'over-budget': { type: 'insufficient_quota', code: 'insufficient_quota' },
  forbidden: { type: 'permission_error', code: 'permission_denied' },
  'unknown-model': { type: 'invalid_request_error', code: 'model_not_found' },
  'unknown-route': { type: 'invalid_request_error', code: 'model_not_found' },
  'unknown-operation': { type: 'invalid_request_error', code: 'model_not_found' },
  'method-not-allowed': { type: 'invalid_request_error', code: 'method_not_allowed' },
  'too-large': { type: 'invalid_request_error', code: 'request_too_large' },
  'wrong-media-type': { type: 'invalid_request_error', code: 'unsupported_media_type' },
  'idempotency-mismatch': { type: 'invalid_request_error', code: 'idempotency_mismatch' },
  'headers-too-large': { type: 'invalid_request_error', code: 'headers_too_large' },
  'over-rate': { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  refused: { type: 'invalid_request_error', code: 'invalid_value' },
  'upstream-over-rate': { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  'upstream-overloaded': { type: 'server_error', code: 'overloaded' },
  'upstream-timeout': { type: 'server_error', code: 'timeout' },
  'upstream-broken': { type: 'server_error', code: 'upstream_error' },
  overloaded: { type: 'server_error', code: 'overloaded' },
  cancelled: { type: 'invalid_request_error', code: 'cancelled' },
  internal: { type: 'server_error', code: 'internal_error' },
};

export const errorBody = (fault: Fault): JsonObject => ({
  message: fault.message,
  type: WRITE[fault.kind].type,
  param: fault.field ?? null,
  code: fault.code ?? WRITE[fault.kind].code,
});

export const encodeFault = (fault: Fault): EncodedFault => ({
  status: FAULT_RULES[fault.kind].status,
  body: { error: errorBody(fault) },
});

/** Both forms that clients look for: the members beside the type, and the same in an object. */
export const errorEvent = (fault: Fault, sequenceNumber: number): JsonObject => {
  const error = errorBody(fault);
  const { code = null, message = '', param = null } = error;
  return { type: 'error', sequence_number: sequenceNumber, code, message, param, error };
};

/** The words a response object may use for its own failure. */
export const responseError = (fault: Fault): JsonObject => ({
  code: WRITE[fault.kind].type === 'rate_limit_error' ? 'rate_limit_exceeded' : 'server_error',
  message: fault.message,
});

/** Whoever writes this knows nothing of the stream so far; these stand behind every number it can have used. */
const LAST_NUMBERS = { error: 2 ** 31 - 2, failed: 2 ** 31 - 1 } as const;

/** SDKs stop at the `error`; clients that only look for the end of a response find it in `response.failed`. */
export function streamFault(fault: Fault, requestId: string): string {
  const response: JsonObject = {
    id: `resp_${requestId}`,
    object: 'response',
    status: 'failed',
    error: responseError(fault),
    incomplete_details: null,
    output: [],
    usage: null,
  };
  const failed = { type: 'response.failed', sequence_number: LAST_NUMBERS.failed, response };
  return (
    `event: error\ndata: ${JSON.stringify(errorEvent(fault, LAST_NUMBERS.error))}\n\n` +
    `event: response.failed\ndata: ${JSON.stringify(failed)}\n\n`
  );
}

const MAX_UPSTREAM_MESSAGE = 500;
const NO_CAPACITY: Fault = {
  kind: 'upstream-overloaded',
  message: 'The upstream provider has no capacity for this request.',
};
const OVER_RATE: Fault = { kind: 'upstream-over-rate', message: 'The upstream provider is limiting its rate.' };

/** An upstream's refusal is told to the caller only where the caller caused it; keys, quotas and routes are ours to mend. */
export function decodeFault(status: number, body: Json | undefined): Fault {
  const error = isJsonObject(body) ? objectAt(body, 'error') : undefined;
  if ((stringAt(error, 'code') ?? stringAt(error, 'type')) === 'insufficient_quota') return NO_CAPACITY;
  if (status === 400 || status === 413 || status === 422) return refusal(error);
  if (status === 429) return OVER_RATE;
  if (status === 408 || status === 504)
    return { kind: 'upstream-timeout', message: 'The upstream provider took too long.' };
  if (status === 503 || status === 529)
    return { kind: 'upstream-overloaded', message: 'The upstream provider is overloaded.' };
  return { kind: 'upstream-broken', message: 'The upstream provider failed to answer.' };
}

function refusal(error: JsonObject | undefined): Fault {
  const message = stringAt(error, 'message');
  const field = stringAt(error, 'param');
  const code = stringAt(error, 'code');
  return {
    kind: 'refused',
    message:
      message === undefined ? 'The upstream provider refused this request.' : message.slice(0, MAX_UPSTREAM_MESSAGE),
    ...(field !== undefined && { field }),
    ...(code !== undefined && { code }),
  };
}

/** The failure a response object or an `error` event speaks of. What the caller sent is to blame only for some codes. */
export function failureOf(error: JsonObject | undefined): Fault {
  const code = stringAt(error, 'code') ?? stringAt(error, 'type') ?? '';
  if (code === 'insufficient_quota') return NO_CAPACITY;
  if (code === 'rate_limit_exceeded') return OVER_RATE;
  if (code === 'invalid_prompt' || code === 'invalid_request_error' || code.includes('image')) return refusal(error);
  return { kind: 'upstream-broken', message: 'The upstream provider failed in the middle of its answer.' };
}
