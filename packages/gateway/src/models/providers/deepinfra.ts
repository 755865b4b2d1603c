// DeepInfra, open-weight models.

import { chatOffer, likeMessagesOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const deepinfra: Provider = {
  id: 'deepinfra',
  displayName: 'DeepInfra',
  offers: {
    'openai-chat': chatOffer({
      baseUrl: 'https://api.deepinfra.com/v1/openai',
      sign: bearer,
      quirks: { topKField: 'top_k', strictTools: false, reasoningRead: ['reasoning_content', 'reasoning'] },
    }),
    'anthropic-messages': likeMessagesOffer({ baseUrl: 'https://api.deepinfra.com/anthropic', sign: bearer }),
  },
};
