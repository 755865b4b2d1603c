// Volcano Engine Ark (inside China): Seed under the name Doubao.

import { chatOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const volcengine: Provider = {
  id: 'volcengine',
  displayName: 'Volcano Engine Ark (China)',
  home: true,
  offers: {
    'openai-chat': chatOffer({
      baseUrl: 'https://ark.cn-beijing.volces.com/api/v3',
      sign: bearer,
      quirks: { reasoningWrite: 'thinking-type', reasoningRead: ['reasoning_content'], reasoningBesideCap: true },
    }),
  },
};
