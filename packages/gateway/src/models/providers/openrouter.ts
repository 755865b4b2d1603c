// OpenRouter, other vendors' models under one key. Reasoning is sent in a list of details, seals included.

import { belowV1, chatOffer, messagesOffer, responsesOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

const place = { baseUrl: 'https://openrouter.ai/api', sign: bearer };

export const openrouter: Provider = {
  id: 'openrouter',
  displayName: 'OpenRouter',
  offers: {
    'openai-chat': belowV1(
      chatOffer({
        ...place,
        quirks: {
          maxTokensField: 'max_completion_tokens',
          systemRole: 'as-given',
          topKField: 'top_k',
          logitBias: true,
          verbosity: true,
          reasoningWrite: 'effort-object',
          reasoningRead: ['reasoning_details', 'reasoning'],
          streamUsage: 'always',
        },
      }),
    ),
    'openai-responses': belowV1(responsesOffer({ ...place, quirks: { homeMembers: false, obfuscationOff: false } })),
    'anthropic-messages': messagesOffer(place),
  },
};
