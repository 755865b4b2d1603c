/** Errors in the format of the generative-content protocol, for every operation: an rpc status, and details. */
import type { Fault, FaultKind } from '../canonical/fault.ts';
import {
  arrayAt,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  objectAt,
  stringAt,
} from '../canonical/json.ts';
import { faultOfStatus, isRefusal, refusedFor, refusedOrTooLong } from './upstream-status.ts';

/** The rpc status that callers get for each fault kind. `UNIMPLEMENTED` belongs to 501, so no 400 carries it. */
export const RPC_STATUSES = {
  malformed: 'INVALID_ARGUMENT',
  unsupported: 'INVALID_ARGUMENT',
  unauthenticated: 'UNAUTHENTICATED',
  'over-budget': 'RESOURCE_EXHAUSTED',
  forbidden: 'PERMISSION_DENIED',
  'unknown-model': 'NOT_FOUND',
  'unknown-route': 'NOT_FOUND',
  'unknown-operation': 'NOT_FOUND',
  'method-not-allowed': 'UNIMPLEMENTED',
  'too-large': 'INVALID_ARGUMENT',
  'wrong-media-type': 'INVALID_ARGUMENT',
  'idempotency-mismatch': 'INVALID_ARGUMENT',
  'upgrade-required': 'UNIMPLEMENTED',
  'headers-too-large': 'INVALID_ARGUMENT',
  'over-rate': 'RESOURCE_EXHAUSTED',
  refused: 'INVALID_ARGUMENT',
  'context-exceeded': 'INVALID_ARGUMENT',
  'upstream-over-rate': 'RESOURCE_EXHAUSTED',
  'upstream-overloaded': 'UNAVAILABLE',
  'upstream-timeout': 'DEADLINE_EXCEEDED',
  'upstream-broken': 'UNAVAILABLE',
  overloaded: 'UNAVAILABLE',
  cancelled: 'CANCELLED',
  internal: 'INTERNAL',
} as const satisfies Readonly<Record<FaultKind, string>>;

/** Refusals with status 400 that concern the gateway's account, not the caller's request. */
const OURS: ReadonlySet<string> = new Set([
  'API_KEY_INVALID',
  'API_KEY_EXPIRED',
  'BILLING_DISABLED',
  'SERVICE_DISABLED',
]);

/** The wildcard is bounded: between the words there is only a number. */
const TOO_LONG = /\binput token count .{0,40}exceeds the maximum number of tokens\b|\bprompt is too long\b/i;

/**
 * The caller sees an upstream's refusal only if the caller caused it; keys, quotas and routes are the operator's to
 * fix.
 */
export function decodeFault(status: number, body: Json | undefined): Fault {
  const error = errorIn(body);
  const word = stringAt(error, 'status');
  const details = arrayAt(error, 'details').filter(isJsonObject);
  const ours = word === 'FAILED_PRECONDITION' || details.some((detail) => OURS.has(stringAt(detail, 'reason') ?? ''));
  if (status === 413 || (isRefusal(status) && !ours)) return refusal(error, details);
  const stored = status === 403 || status === 404 ? storedRefusal(stringAt(error, 'message')) : undefined;
  if (stored !== undefined) return stored;
  const wait = status === 429 ? retryAfterMs(details) : undefined;
  return { ...faultOfStatus(status), ...(wait !== undefined && { retryAfterMs: wait }) };
}

/** Without `alt=sse` this dialect's home wraps even errors in a list. */
function errorIn(body: Json | undefined): JsonObject | undefined {
  const first = isJsonArray(body) ? body[0] : body;
  return isJsonObject(first) ? objectAt(first, 'error') : undefined;
}

function refusal(error: JsonObject | undefined, details: readonly JsonObject[]): Fault {
  const violation = details.flatMap((detail) => arrayAt(detail, 'fieldViolations'))[0];
  const field = isJsonObject(violation) ? stringAt(violation, 'field') : undefined;
  return {
    ...refusedOrTooLong(stringAt(error, 'message'), TOO_LONG),
    ...(field !== undefined && field !== '' && { field }),
  };
}

/** Resources the caller stored elsewhere and named: cached content, files. */
const STORED = /\b(?:(cached ?content)|access the file)\b/i;

/**
 * Not found under this credential; another credential may have it. If none does, the caller made a mistake; it is not
 * an outage.
 */
function storedRefusal(message: string | undefined): Fault | undefined {
  const found = STORED.exec(message ?? '');
  if (found === null) return undefined;
  return {
    ...refusedFor(message),
    kind: 'unsupported',
    field: found[1] === undefined ? 'contents' : 'cachedContent',
  };
}

function retryAfterMs(details: readonly JsonObject[]): number | undefined {
  for (const detail of details) {
    const seconds = /^([0-9]+(?:\.[0-9]+)?)s$/.exec(stringAt(detail, 'retryDelay') ?? '')?.[1];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000);
  }
  return undefined;
}

/** An `error` inside a 200 response, as a complete body or as a frame. */
export function faultInside(body: Json): Fault | undefined {
  const error = errorIn(body);
  if (error === undefined) return undefined;
  const { code } = error;
  const status = typeof code === 'number' && code >= 400 && code < 600 ? code : 500;
  return decodeFault(status, body);
}
