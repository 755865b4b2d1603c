// Cerebras, open-weight models.

import { chatOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const cerebras: Provider = {
  id: 'cerebras',
  displayName: 'Cerebras',
  offers: {
    'openai-chat': chatOffer({
      baseUrl: 'https://api.cerebras.ai/v1',
      sign: bearer,
      quirks: {
        maxTokensField: 'max_completion_tokens',
        penalties: false,
        reasoningRead: ['reasoning'],
      },
    }),
  },
};
