// Mistral AI. Refuses members it does not know; tool call ids are exactly nine characters.

import { chatOffer, embeddingsOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const mistral: Provider = {
  id: 'mistral',
  displayName: 'Mistral AI',
  home: true,
  offers: {
    'openai-embeddings': embeddingsOffer({
      baseUrl: 'https://api.mistral.ai/v1',
      sign: bearer,
      quirks: { dimensionsField: 'output_dimension', tokenInput: false },
    }),
    'mistral-speech': { baseUrl: 'https://api.mistral.ai/v1', path: '/audio/speech', sign: bearer },
    'mistral-transcription': {
      baseUrl: 'https://api.mistral.ai/v1',
      path: '/audio/transcriptions',
      sign: bearer,
    },
    'openai-chat': chatOffer({
      baseUrl: 'https://api.mistral.ai/v1',
      sign: bearer,
      quirks: {
        messageNames: false,
        seedField: 'random_seed',
        logprobs: false,
        toolChoiceAny: 'any',
        toolCallIdLength: 9,
        reasoningRead: ['thinking-parts'],
        streamUsage: 'always',
        cachedTokensAt: ['num_cached_tokens', 'prompt_tokens_details.cached_tokens'],
      },
    }),
  },
};
