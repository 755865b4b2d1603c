// Fireworks AI, open-weight models.

import { chatOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const fireworks: Provider = {
  id: 'fireworks',
  displayName: 'Fireworks AI',
  offers: {
    'openai-chat': chatOffer({
      baseUrl: 'https://api.fireworks.ai/inference/v1',
      sign: bearer,
      quirks: { topKField: 'top_k', reasoningRead: ['reasoning_content'] },
    }),
  },
};
