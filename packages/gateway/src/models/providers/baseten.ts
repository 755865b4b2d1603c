// Baseten, open-weight models.

import { chatOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const baseten: Provider = {
  id: 'baseten',
  displayName: 'Baseten',
  offers: {
    'openai-chat': chatOffer({
      baseUrl: 'https://inference.baseten.co/v1',
      sign: bearer,
      quirks: { topKField: 'top_k', strictTools: false },
    }),
  },
};
