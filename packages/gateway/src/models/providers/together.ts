// Together AI, open-weight models.

import { chatOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const together: Provider = {
  id: 'together',
  displayName: 'Together AI',
  offers: {
    'openai-chat': chatOffer({
      baseUrl: 'https://api.together.ai/v1',
      sign: bearer,
      quirks: {
        topKField: 'top_k',
        strictTools: false,
        reasoningWrite: 'enabled-object',
        reasoningRead: ['reasoning', 'reasoning_content'],
      },
    }),
  },
};
