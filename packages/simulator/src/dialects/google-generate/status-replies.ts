// The bodies for HTTP error statuses, as Google sends them.
import type { Reply, StatusFault, UnderstoodRequest } from '../dialect.ts';
import { badGatewayPage } from '../replies.ts';
import type { GenerateRefusal } from './refusal.ts';

const DEFAULT_RETRY_AFTER_S = 1;

const byStatus: Readonly<Record<number, readonly [status: string, message: string]>> = {
  400: ['INVALID_ARGUMENT', 'Request contains an invalid argument.'],
  401: ['UNAUTHENTICATED', 'Request had invalid authentication credentials.'],
  403: ['PERMISSION_DENIED', 'The caller does not have permission'],
  404: ['NOT_FOUND', 'Requested entity was not found.'],
  408: ['DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.'],
  429: ['RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'],
  499: ['CANCELLED', 'The operation was cancelled.'],
  500: ['INTERNAL', 'An internal error has occurred. Please retry.'],
  503: ['UNAVAILABLE', 'The model is overloaded. Please try again later.'],
  504: ['DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.'],
};

const byCode: Readonly<Record<string, readonly [status: string, message: string]>> = {
  insufficient_quota: [
    'RESOURCE_EXHAUSTED',
    'You exceeded your current quota, please check your plan and billing details.',
  ],
  invalid_encrypted_content: ['INVALID_ARGUMENT', 'Corrupted thought signature.'],
  context_length_exceeded: [
    'INVALID_ARGUMENT',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  ],
};

export function errorBody({ code, message, status, details }: GenerateRefusal): object {
  return { error: { code, message, status, ...(details === undefined ? {} : { details }) } };
}

/** A refused stream without `alt=sse` is an array, like the answer it replaces. */
export function refusalReply(
  refusal: GenerateRefusal,
  isArray: boolean,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const body = errorBody(refusal);
  return {
    status: refusal.code,
    headers: { 'content-type': 'application/json; charset=UTF-8', server: 'scaffolding on HTTPServer2', ...headers },
    body: JSON.stringify(isArray ? [body] : body),
  };
}

export function statusRefusal({ status, code, retryAfterS }: StatusFault): GenerateRefusal {
  const known = byCode[code ?? ''];
  const fallback = [status >= 500 ? 'INTERNAL' : 'FAILED_PRECONDITION', `Simulated error ${status}`] as const;
  const [word, message] = known ?? byStatus[status] ?? fallback;
  const refusal = { code: status, status: known === undefined ? (code ?? word) : word, message };
  if (status !== 429) return refusal;
  const retryDelay = `${retryAfterS ?? DEFAULT_RETRY_AFTER_S}s`;
  return { ...refusal, details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }] };
}

/** The retry delay is in the body; the header comes only if it was requested. */
export function statusReply(fault: StatusFault, isArray: boolean): Reply {
  if (fault.status === 502) return badGatewayPage();
  const retry = fault.retryAfterS === undefined ? {} : { 'retry-after': String(fault.retryAfterS) };
  return refusalReply(statusRefusal(fault), isArray, retry);
}

export function refused(refusal: GenerateRefusal, body?: unknown, isArray = false): UnderstoodRequest {
  return { kind: 'refused', reply: refusalReply(refusal, isArray), reason: refusal.message, body };
}
