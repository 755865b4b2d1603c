// SiliconFlow, open-weight models.

import { chatOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const siliconflow: Provider = {
  id: 'siliconflow',
  displayName: 'SiliconFlow',
  offers: {
    'openai-chat': chatOffer({
      baseUrl: 'https://api.siliconflow.com/v1',
      sign: bearer,
      quirks: {
        topKField: 'top_k',
        strictTools: false,
        reasoningWrite: 'enable-thinking',
        reasoningRead: ['reasoning_content'],
        reasoningBesideCap: true,
      },
    }),
  },
};
