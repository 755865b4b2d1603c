// The vendors of this dialect, as data: how strict they are and how they word an error.
import { type ChatModelFamily, compatibleFamilies, openaiFamilies } from './models.ts';
import type { ChatRefusal } from './refusal.ts';

export interface ChatProfile {
  readonly vendor: string;
  readonly families: readonly ChatModelFamily[];
  readonly ignoresUnknown: boolean;
  readonly needsCredential: boolean;
  readonly errorBody: (refusal: ChatRefusal) => unknown;
  readonly answerHeaders: Readonly<Record<string, string>>;
}

const openai: ChatProfile = {
  vendor: 'openai',
  families: openaiFamilies,
  ignoresUnknown: false,
  needsCredential: true,
  errorBody: ({ message, type, param, code }) => ({ error: { message, type, param, code } }),
  answerHeaders: {
    'openai-version': '2020-10-01',
    'openai-organization': 'simulator',
    'openai-processing-ms': '1',
    'x-ratelimit-limit-requests': '10000',
    'x-ratelimit-remaining-requests': '9999',
    'x-ratelimit-reset-requests': '6ms',
  },
};

const VLLM_TYPES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'UnauthorizedError',
  404: 'NotFoundError',
  429: 'RateLimitError',
  500: 'InternalServerError',
  503: 'ServiceUnavailableError',
};

const compatible: ChatProfile = {
  vendor: 'compatible',
  families: compatibleFamilies,
  ignoresUnknown: true,
  needsCredential: false,
  // vLLM repeats the HTTP status as a number where OpenAI has a string.
  errorBody: ({ message, param, status }) => ({
    error: { message, type: VLLM_TYPES[status] ?? 'InternalServerError', param, code: status },
  }),
  answerHeaders: { server: 'uvicorn' },
};

/** The same models in a cloud, at paths of its own (`azure.ts`). */
const azure: ChatProfile = { ...openai, vendor: 'azure', answerHeaders: { 'apim-request-id': 'simulated' } };

export const profiles: readonly ChatProfile[] = [openai, compatible, azure];

export function profileOf(vendor: string): ChatProfile {
  return profiles.find((profile) => profile.vendor === vendor) ?? openai;
}
