// The bodies for HTTP error statuses, as Anthropic sends them.
import type { Reply, StatusFault } from '../dialect.ts';
import { badGatewayPage, json } from '../replies.ts';
import type { MessagesProfile } from './profiles.ts';
import type { MessagesRefusal } from './refusal.ts';

const DEFAULT_RETRY_AFTER_S = 1;

const byStatus: Readonly<Record<number, readonly [type: string, message: string]>> = {
  400: ['invalid_request_error', 'Invalid request.'],
  401: ['authentication_error', 'invalid x-api-key'],
  402: ['billing_error', 'Your account has a billing problem.'],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource.'],
  404: ['not_found_error', 'model: simulated'],
  408: ['timeout_error', 'Request timed out'],
  413: ['request_too_large', 'Request exceeds the maximum size'],
  429: ['rate_limit_error', 'This request would exceed your organization’s rate limit of 50 requests per minute.'],
  500: ['api_error', 'Internal server error'],
  503: ['api_error', 'Service temporarily unavailable'],
  504: ['timeout_error', 'Request timed out'],
  529: ['overloaded_error', 'Overloaded'],
};

const byCode: Readonly<Record<string, readonly [type: string, message: string]>> = {
  insufficient_quota: [
    'invalid_request_error',
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  ],
  invalid_encrypted_content: ['invalid_request_error', 'messages.1.content.0: Invalid `signature` in `thinking` block'],
  context_length_exceeded: ['invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'],
};

export interface ReplyContext {
  readonly profile: MessagesProfile;
  readonly requestId: string;
}

export function errorBody({ type, message }: Pick<MessagesRefusal, 'type' | 'message'>, requestId?: string): object {
  const request = requestId === undefined ? {} : { request_id: requestId };
  return { type: 'error', error: { type, message }, ...request };
}

export function statusReply(fault: StatusFault, context: ReplyContext): Reply {
  const { status, code, retryAfterS } = fault;
  if (status === 502) return badGatewayPage();
  const known = byCode[code ?? ''];
  const fallback = [status >= 500 ? 'api_error' : 'invalid_request_error', `Simulated error ${status}`] as const;
  const [type, message] = known ?? byStatus[status] ?? fallback;
  const waits = status === 429 || retryAfterS !== undefined;
  const retry = waits ? { 'retry-after': String(retryAfterS ?? DEFAULT_RETRY_AFTER_S) } : {};
  return refusalReply({ status, type: known === undefined ? (code ?? type) : type, message }, context, retry);
}

const AWS_TYPES: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  429: 'ThrottlingException',
  503: 'ServiceUnavailableException',
};

export function refusalReply(
  refusal: MessagesRefusal,
  { profile, requestId }: ReplyContext,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const { status, type, message } = refusal;
  if (profile.manner === 'bedrock') {
    // That cloud sends the type of an error in a header, and only its message in the body.
    const kind = type.endsWith('Exception') ? type : (AWS_TYPES[status] ?? 'InternalServerException');
    return json(status, { message }, { 'x-amzn-requestid': requestId, 'x-amzn-errortype': kind, ...headers });
  }
  return json(status, errorBody(refusal, requestId), {
    'request-id': requestId,
    'x-should-retry': String(status === 429 || status >= 500),
    ...profile.answerHeaders,
    ...headers,
  });
}
