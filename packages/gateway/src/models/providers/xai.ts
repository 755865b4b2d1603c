// xAI. Reasoning tokens are counted besides completion tokens, not as part of them.

import { chatOffer, imagesOffer, responsesOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const xai: Provider = {
  id: 'xai',
  displayName: 'xAI',
  home: true,
  offers: {
    'openai-responses': responsesOffer({ baseUrl: 'https://api.x.ai/v1', sign: bearer }),
    'openai-chat': chatOffer({
      baseUrl: 'https://api.x.ai/v1',
      sign: bearer,
      quirks: {
        maxTokensField: 'max_completion_tokens',
        reasoningRead: ['reasoning_content'],
        reasoningOutsideCompletion: true,
        reasoningBesideCap: true,
      },
    }),
    'openai-images': imagesOffer({
      baseUrl: 'https://api.x.ai/v1',
      sign: bearer,
      quirks: { sizeAs: 'aspect-ratio', editsAs: 'json' },
    }),
    'xai-video': { baseUrl: 'https://api.x.ai/v1', path: '/videos/generations', sign: bearer },
  },
};
