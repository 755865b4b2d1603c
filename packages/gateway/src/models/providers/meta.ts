// Meta AI, serving its own models in three formats.

import { chatOffer, likeMessagesOffer, responsesOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const meta: Provider = {
  id: 'meta',
  displayName: 'Meta AI',
  home: true,
  offers: {
    'openai-responses': responsesOffer({ baseUrl: 'https://api.meta.ai/v1', sign: bearer }),
    'openai-chat': chatOffer({
      baseUrl: 'https://api.meta.ai/v1',
      sign: bearer,
      quirks: { maxTokensField: 'max_completion_tokens' },
    }),
    'anthropic-messages': likeMessagesOffer({ baseUrl: 'https://api.meta.ai', sign: bearer }),
  },
};
