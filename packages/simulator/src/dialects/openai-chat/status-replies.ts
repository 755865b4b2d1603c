// The bodies for HTTP error statuses, as the vendor or a proxy in front of it sends them.
import type { Reply, StatusFault, UnderstoodRequest } from '../dialect.ts';
import { badGatewayPage } from '../replies.ts';
import type { ChatProfile } from './profiles.ts';
import type { ChatRefusal } from './refusal.ts';

type Wording = readonly [type: string, code: string | null, message: string, param?: string];

const DEFAULT_RETRY_AFTER_S = 1;
const INVALID = 'invalid_request_error';
const OVERLOADED: Wording = ['overloaded_error', null, 'Overloaded'];

const byStatus: Readonly<Record<number, Wording>> = {
  400: [INVALID, null, 'Invalid request.'],
  401: [INVALID, 'invalid_api_key', 'Incorrect API key provided: sk-sim****0000.'],
  403: ['request_forbidden', 'unsupported_country_region_territory', 'Country, region, or territory not supported'],
  404: [INVALID, 'model_not_found', 'The model does not exist or you do not have access to it.'],
  429: [
    'requests',
    'rate_limit_exceeded',
    'Rate limit reached for requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 1s.',
  ],
  500: ['server_error', null, 'The server had an error while processing your request. Sorry about that!'],
  503: ['server_error', null, 'The engine is currently overloaded, please try again later.'],
};

const byCode: Readonly<Record<string, Wording>> = {
  insufficient_quota: [
    'insufficient_quota',
    null,
    'You exceeded your current quota, please check your plan and billing details.',
  ],
  invalid_encrypted_content: [
    INVALID,
    null,
    'The encrypted content gAAA... could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
  ],
  context_length_exceeded: [
    INVALID,
    null,
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    'messages',
  ],
};

export function statusReply({ status, code, retryAfterS }: StatusFault, profile: ChatProfile): Reply {
  if (status === 502) return badGatewayPage();
  const [type, usual, message, param = null] = byCode[code ?? ''] ?? byStatus[status] ?? OVERLOADED;
  const waits = status === 429 || retryAfterS !== undefined;
  const retry = waits ? { 'retry-after': String(retryAfterS ?? DEFAULT_RETRY_AFTER_S) } : {};
  return refusalReply({ status, message, type, param, code: code ?? usual }, profile, retry);
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
