/** Errors in the format of the messages protocol. */
import { FAULT_RULES, type Fault, type FaultKind } from '../../canonical/fault.ts';
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import type { EncodedFault } from '../dialect.ts';
import { faultOfStatus, isRefusal, refusedOrTooLong } from '../upstream-errors.ts';

const WRITE: Readonly<Record<FaultKind, string>> = {
  malformed: 'invalid_request_error',
  unsupported: 'invalid_request_error',
  unauthenticated: 'authentication_error',
  'over-budget': 'billing_error',
  'over-cap': 'billing_error',
  forbidden: 'permission_error',
  'unknown-model': 'not_found_error',
  'unknown-route': 'not_found_error',
  'unknown-operation': 'not_found_error',
  'method-not-allowed': 'invalid_request_error',
  'too-large': 'request_too_large',
  'wrong-media-type': 'invalid_request_error',
  'idempotency-mismatch': 'invalid_request_error',
  'upgrade-required': 'invalid_request_error',
  'headers-too-large': 'invalid_request_error',
  'over-rate': 'rate_limit_error',
  refused: 'invalid_request_error',
  'context-exceeded': 'invalid_request_error',
  'upstream-over-rate': 'rate_limit_error',
  'upstream-overloaded': 'overloaded_error',
  'upstream-timeout': 'timeout_error',
  'upstream-broken': 'api_error',
  overloaded: 'overloaded_error',
  cancelled: 'invalid_request_error',
  internal: 'api_error',
};

/** Clients continue without a thread after an error with this code in its details. */
export const THREAD_UNSUPPORTED = 'thread_unsupported_request';

export const encodeFault = ({ kind, message, code }: Fault, requestId: string): EncodedFault => ({
  // Clients of this protocol expect 529 for overload.
  status: WRITE[kind] === 'overloaded_error' ? 529 : FAULT_RULES[kind].status,
  body: {
    type: 'error',
    error: {
      type: WRITE[kind],
      message,
      ...(code === THREAD_UNSUPPORTED && { details: { error_code: code, unsupported: null } }),
    },
    request_id: requestId,
  },
});

/** The only error types a stream may use; all others become the last. */
const STREAM_TYPES: ReadonlySet<string> = new Set([
  'invalid_request_error',
  'authentication_error',
  'rate_limit_error',
  'api_error',
]);

export const streamError = ({ kind, message }: Fault): JsonObject => {
  const type = WRITE[kind];
  return { type: 'error', error: { type: STREAM_TYPES.has(type) ? type : 'api_error', message } };
};

export const streamFault = (fault: Fault): string => `event: error\ndata: ${JSON.stringify(streamError(fault))}\n\n`;

/** The vendor reports an exhausted credit balance as a bad request. */
const NO_CREDIT = /credit balance|billing|quota/i;

/**
 * The vendor's messages, for the prompt alone and together with the requested output, and those of a cloud that serves
 * its models.
 */
const TOO_LONG = /\bprompt is too long\b|\bexceeds? (?:the )?context (?:limit|window)\b|\binput is too long for\b/i;

/**
 * The caller sees an upstream's refusal only if the caller caused it; keys, credit and routes are the operator's to
 * fix.
 */
export function decodeFault(status: number, body: Json | undefined): Fault {
  const error = isJsonObject(body) ? objectAt(body, 'error') : undefined;
  const message = stringAt(error, 'message') ?? (isJsonObject(body) ? stringAt(body, 'message') : undefined);
  if (status === 400 && message !== undefined && NO_CREDIT.test(message))
    return { kind: 'upstream-overloaded', message: 'The upstream provider has no capacity for this request.' };
  return isRefusal(status) ? refusedOrTooLong(message, TOO_LONG) : faultOfStatus(status);
}

const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  request_too_large: 413,
  rate_limit_error: 429,
  overloaded_error: 529,
  timeout_error: 504,
  // A cloud that wraps this format in its own frames has its own error names.
  validationException: 400,
  throttlingException: 429,
  modelTimeoutException: 504,
  serviceUnavailableException: 503,
};

/** An error inside a 200 response, as a complete body or as an event of a stream. */
export function faultInside(body: JsonObject): Fault | undefined {
  const error = body['error'];
  if (body['type'] !== 'error' && (error === undefined || error === null)) return undefined;
  const type = stringAt(objectAt(body, 'error'), 'type') ?? '';
  return decodeFault(STATUS_OF_TYPE[type] ?? 500, body);
}
