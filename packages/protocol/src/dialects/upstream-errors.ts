/** Errors of upstreams: by status alone, and in each format that several dialects share. */
import { FAULT_RULES, type Fault, type FaultKind } from '../canonical/fault.ts';
import { GatewayError } from '../canonical/gateway-error.ts';
import {
  arrayAt,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  objectAt,
  stringAt,
} from '../canonical/json.ts';
import { textAt } from '../passes/json-paths.ts';
import type { EncodedFault, SealRefusal } from './dialect.ts';

// What an upstream's HTTP status means if its body says nothing more, and how its message is passed on.

/** Longer than what callers see: the engine redacts the message first, and could not recognise a truncated secret. */
const MAX_UPSTREAM_MESSAGE = 4096;

export const OVER_RATE: Fault = { kind: 'upstream-over-rate', message: "The provider's rate limit was exceeded." };

/** The caller's mistake, in the upstream's words. */
export const refusedFor = (message: string | undefined): Fault => ({
  kind: 'refused',
  message:
    message === undefined ? 'The upstream provider refused this request.' : message.slice(0, MAX_UPSTREAM_MESSAGE),
});

/**
 * A refusal, and whether its message says that the prompt is longer than the model's context: a larger model may accept
 * it.
 */
export function refusedOrTooLong(message: string | undefined, tooLong: RegExp): Fault {
  const fault = refusedFor(message);
  return tooLong.test(fault.message) ? { ...fault, kind: 'context-exceeded' } : fault;
}

/** Statuses with which upstreams refuse the caller's request. */
export const isRefusal = (status: number): boolean => status === 400 || status === 413 || status === 422;

/**
 * For any status except a refusal: keys, quotas and routes are the operator's to fix, so the caller sees no details.
 */
export function faultOfStatus(status: number): Fault {
  if (status === 429) return OVER_RATE;
  if (status === 408 || status === 504)
    return { kind: 'upstream-timeout', message: 'The upstream provider took too long.' };
  if (status === 503 || status === 529)
    return { kind: 'upstream-overloaded', message: 'The upstream provider is overloaded.' };
  return { kind: 'upstream-broken', message: 'The upstream provider failed to answer.' };
}

/** The upstream's answer is not a valid answer. */
export const broken = (message: string): GatewayError => new GatewayError({ kind: 'upstream-broken', message });

// Errors in the format that chat completions and Responses share: one complete table per direction.

type WireFault = { readonly type: string; readonly code: string };

export const WIRE_FAULTS: Readonly<Record<FaultKind, WireFault>> = {
  malformed: { type: 'invalid_request_error', code: 'invalid_value' },
  unsupported: { type: 'invalid_request_error', code: 'unsupported' },
  unauthenticated: { type: 'invalid_request_error', code: 'invalid_api_key' },
  'over-budget': { type: 'insufficient_quota', code: 'insufficient_quota' },
  'over-cap': { type: 'insufficient_quota', code: 'insufficient_quota' },
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
export function decodeApiFault(status: number, body: Json | undefined): Fault {
  const given = isJsonObject(body) ? (body['error'] ?? detailIn(body)) : undefined;
  // Some hosts send a plain string instead of an error object.
  const error =
    typeof given === 'string' && isJsonObject(body) ? { message: given, code: body['code'] ?? null } : given;
  const known = isJsonObject(error) ? error : undefined;
  if ((stringAt(known, 'code') ?? stringAt(known, 'type')) === 'insufficient_quota') return NO_CAPACITY;
  const isTheirs = status === FAILED ? saysTooLong(known) : isRefusal(status) && !isOurs(known);
  return isTheirs ? refusal(known) : faultOfStatus(isRefusal(status) ? NOT_FOUND : status);
}

/** Small servers in Python have their errors below `detail`: a text, an object, or a list of problems per field. */
function detailIn(body: JsonObject): Json | undefined {
  const { detail } = body;
  if (!isJsonArray(detail)) return detail;
  return textAt(body, 'detail[].msg');
}

const NOT_FOUND = 404;
const FAILED = 500;

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

/** A self-hosted server's words for it, as a failure of its own, where it ranks or embeds. */
const TOO_LARGE = /\binput (?:\(\d+ tokens\) )?is too large to process\b/i;

export const saysTooLong = (error: JsonObject | undefined): boolean =>
  TOO_LONG_CODES.has(stringAt(error, 'code') ?? '') ||
  TOO_LONG_CODES.has(stringAt(error, 'type') ?? '') ||
  TOO_LARGE.test(stringAt(error, 'message') ?? '');

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

// Errors in the format of the generative-content protocol, for every operation: an rpc status, and details.

/** The rpc status that callers get for each fault kind. `UNIMPLEMENTED` belongs to 501, so no 400 carries it. */
export const RPC_STATUSES = {
  malformed: 'INVALID_ARGUMENT',
  unsupported: 'INVALID_ARGUMENT',
  unauthenticated: 'UNAUTHENTICATED',
  'over-budget': 'RESOURCE_EXHAUSTED',
  'over-cap': 'RESOURCE_EXHAUSTED',
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
export function decodeRpcFault(status: number, body: Json | undefined): Fault {
  const error = errorIn(body);
  const word = stringAt(error, 'status');
  const details = arrayAt(error, 'details').filter(isJsonObject);
  const ours = word === 'FAILED_PRECONDITION' || details.some((detail) => OURS.has(stringAt(detail, 'reason') ?? ''));
  if (status === 413 || (isRefusal(status) && !ours)) return rpcRefusal(error, details);
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

function rpcRefusal(error: JsonObject | undefined, details: readonly JsonObject[]): Fault {
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
  return decodeRpcFault(status, body);
}

// Errors of hosts that use `detail`: a string, or a list of problems per field.

export function decodeDetailFault(status: number, body: Json | undefined): Fault {
  if (isRefusal(status)) return refusedFor(textAt(body, 'detail') ?? textAt(body, 'detail[].msg'));
  return status === 402 ? NO_CAPACITY : faultOfStatus(status);
}

// Reads from an upstream's error message which top-level members it does not know.

/** The first group of each holds the member names, separated by commas. */
const PHRASES: readonly RegExp[] = [
  /^Unrecognized request arguments? supplied: ([\w.-]+(?:, [\w.-]+)*)/,
  /^Unknown (?:parameter|argument|field|name):? ['"`]([\w.-]+)['"`]/i,
  /^property '([\w.-]+)' is unsupported/,
  /^Argument not supported(?: on this model)?: ([\w.-]+)/,
  /^(?:body\.)?([\w-]+): Extra inputs are not permitted/,
];

export function unknownMembersIn({ kind, message }: Fault): readonly string[] {
  if (kind !== 'refused') return [];
  for (const phrase of PHRASES) {
    const names = phrase.exec(message)?.[1];
    if (names !== undefined) return names.split(', ');
  }
  return [];
}

// Does a refusal mean that the upstream could not read its own opaque state? Each dialect lists the matching errors
// as data.

export const refusesSeals = (refusals: readonly SealRefusal[], { kind, code, message }: Fault): boolean =>
  kind === 'refused' &&
  refusals.some((refusal) => ('code' in refusal ? refusal.code === code : refusal.message.test(message)));
