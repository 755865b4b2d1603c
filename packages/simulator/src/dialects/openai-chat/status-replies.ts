// The bodies for HTTP error statuses, as the vendor or a proxy in front of it sends them.
import type { Reply, StatusFault, UnderstoodRequest } from '../dialect.ts';
import { badGatewayPage } from '../web-page.ts';
import type { ChatProfile } from './profiles.ts';
import type { ChatRefusal } from './refusal.ts';

type Wording = Omit<ChatRefusal, 'status'>;

const DEFAULT_RETRY_AFTER_S = 1;

const byStatus: Readonly<Record<number, Wording>> = {
  400: { message: 'Invalid request.', type: 'invalid_request_error', param: null, code: null },
  401: {
    message: 'Incorrect API key provided: sk-sim****0000.',
    type: 'invalid_request_error',
    param: null,
    code: 'invalid_api_key',
  },
  403: {
    message: 'Country, region, or territory not supported',
    type: 'request_forbidden',
    param: null,
    code: 'unsupported_country_region_territory',
  },
  404: {
    message: 'The model does not exist or you do not have access to it.',
    type: 'invalid_request_error',
    param: null,
    code: 'model_not_found',
  },
  429: {
    message: 'Rate limit reached for requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 1s.',
    type: 'requests',
    param: null,
    code: 'rate_limit_exceeded',
  },
  500: {
    message: 'The server had an error while processing your request. Sorry about that!',
    type: 'server_error',
    param: null,
    code: null,
  },
  503: {
    message: 'The engine is currently overloaded, please try again later.',
    type: 'server_error',
    param: null,
    code: null,
  },
};

const byCode: Readonly<Record<string, Wording>> = {
  insufficient_quota: {
    message: 'You exceeded your current quota, please check your plan and billing details.',
    type: 'insufficient_quota',
    param: null,
    code: 'insufficient_quota',
  },
  invalid_encrypted_content: {
    message:
      'The encrypted content gAAA... could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
    type: 'invalid_request_error',
    param: null,
    code: 'invalid_encrypted_content',
  },
  context_length_exceeded: {
    message: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  },
};

export function statusReply(fault: StatusFault, profile: ChatProfile): Reply {
  const { status, code } = fault;
  if (status === 502) return badGatewayPage();
  const wording = (code === undefined ? undefined : byCode[code]) ??
    byStatus[status] ?? { message: 'Overloaded', type: 'overloaded_error', param: null, code: null };
  const refusal: ChatRefusal = { status, ...wording, code: code ?? wording.code };
  const waits = status === 429 || fault.retryAfterS !== undefined;
  const retry = waits ? { 'retry-after': String(fault.retryAfterS ?? DEFAULT_RETRY_AFTER_S) } : {};
  return refusalReply(refusal, profile, retry);
}

export function refusalReply(
  refusal: ChatRefusal,
  profile: ChatProfile,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    status: refusal.status,
    headers: { 'content-type': 'application/json', ...profile.answerHeaders, ...headers },
    body: JSON.stringify(profile.errorBody(refusal)),
  };
}

export function refused(refusal: ChatRefusal, profile: ChatProfile, body?: unknown): UnderstoodRequest {
  return { kind: 'refused', reply: refusalReply(refusal, profile), reason: refusal.message, body };
}
