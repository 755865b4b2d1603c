/** Errors in the format that chat completions and Responses share: one complete table per direction. */
import { FAULT_RULES, type Fault, type FaultKind } from '../canonical/fault.ts';
import { isJsonObject, type Json, type JsonObject, stringAt } from '../canonical/json.ts';
import type { EncodedFault } from './dialect.ts';
import { faultOfStatus, isRefusal, refusedOrTooLong } from './upstream-status.ts';

type WireFault = { readonly type: string; readonly code: string };

export const WIRE_FAULTS: Readonly<Record<FaultKind, WireFault>> = {
  malformed: { type: 'invalid_request_error', code: 'invalid_value' },
  unsupported: { type: 'invalid_request_error', code: 'unsupported' },
  unauthenticated: { type: 'invalid_request_error', code: 'invalid_api_key' },
  'over-budget': { type: 'insufficient_quota', code: 'insufficient_quota' },
  forbidden: { type: 'permission_error', code: 'permission_denied' },
  'unknown-model': { type: 'invalid_request_error', code: 'model_not_found' },
  'unknown-route': { type: 'invalid_request_error', code: 'unknown_url' },
  'unknown-operation': { type: 'invalid_request_error', code: 'model_not_found' },
  'method-not-allowed': { type: 'invalid_request_error', code: 'method_not_allowed' },
  'too-large': { type: 'invalid_request_error', code: 'request_too_large' },
  'wrong-media-type': { type: 'invalid_request_error', code: 'unsupported_media_type' },
  'idempotency-mismatch': { type: 'invalid_request_error', code: 'idempotency_mismatch' },
  'upgrade-required': { type: 'invalid_request_error', code: 'upgrade_required' },
  'headers-too-large': { type: 'invalid_request_error', code: 'headers_too_large' },
  'over-rate': { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  refused: { type: 'invalid_request_error', code: 'invalid_value' },
  'context-exceeded': { type: 'invalid_request_error', code: 'context_length_exceeded' },
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
  type: WIRE_FAULTS[fault.kind].type,
  param: fault.field ?? null,
  code: fault.code ?? WIRE_FAULTS[fault.kind].code,
});

export const encodeFault = (fault: Fault): EncodedFault => ({
  status: FAULT_RULES[fault.kind].status,
  body: { error: errorBody(fault) },
});

export const NO_CAPACITY: Fault = {
  kind: 'upstream-overloaded',
  message: 'The upstream provider has no capacity for this request.',
};

/** Messages with which hosts report an invalid key of ours under the status of a caller's mistake. */
const WRONG_KEY = /\b(incorrect|invalid) api key\b/i;

/**
 * The caller sees an upstream's refusal only if the caller caused it; keys, quotas and routes are the operator's to
 * fix.
 */
export function decodeFault(status: number, body: Json | undefined): Fault {
  const given = isJsonObject(body) ? body['error'] : undefined;
  // Some hosts send a plain string instead of an error object.
  const error =
    typeof given === 'string' && isJsonObject(body) ? { message: given, code: body['code'] ?? null } : given;
  const known = isJsonObject(error) ? error : undefined;
  if ((stringAt(known, 'code') ?? stringAt(known, 'type')) === 'insufficient_quota') return NO_CAPACITY;
  return isRefusal(status) && !isOurs(known) ? refusal(known) : faultOfStatus(isRefusal(status) ? NOT_FOUND : status);
}

const NOT_FOUND = 404;

/** The upstream model name and the key are the gateway's: the caller cannot fix them, but another host may serve. */
function isOurs(error: JsonObject | undefined): boolean {
  if (stringAt(error, 'code') === 'model_not_found') return true;
  return WRONG_KEY.test(stringAt(error, 'message') ?? '');
}

/** The vendor's code, and the error type of a widely self-hosted server. */
const TOO_LONG_CODES: ReadonlySet<string> = new Set(['context_length_exceeded', 'exceed_context_size_error']);

/** Messages of hosts of this format that send no such code. */
const TOO_LONG_WORDS =
  /\bmaximum (?:context|prompt) length\b|\bexceed(?:s|ed)? (?:the )?(?:model(?:'s)? |available |maximum )*(?:context|token limit)|\bcontext (?:length|window|size|limit) (?:is |was )?exceeded\b|\bprompt is too long\b|\brange of input length\b/i;

export const saysTooLong = (error: JsonObject | undefined): boolean =>
  TOO_LONG_CODES.has(stringAt(error, 'code') ?? '') || TOO_LONG_CODES.has(stringAt(error, 'type') ?? '');

export function refusal(error: JsonObject | undefined): Fault {
  const field = stringAt(error, 'param');
  const fault = refusedOrTooLong(stringAt(error, 'message'), TOO_LONG_WORDS);
  if (fault.kind === 'context-exceeded' || saysTooLong(error))
    return { ...fault, kind: 'context-exceeded', ...(field !== undefined && { field }) };
  const code = stringAt(error, 'code');
  return {
    ...fault,
    ...(field !== undefined && { field }),
    ...(code !== undefined && { code }),
  };
}
