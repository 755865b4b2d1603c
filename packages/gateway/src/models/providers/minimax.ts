// MiniMax. Its messages offer keeps thinking whole, which its chat offer does not; video beside them.

import { chatOffer, likeMessagesOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const minimax: Provider = {
  id: 'minimax',
  displayName: 'MiniMax',
  home: true,
  offers: {
    'anthropic-messages': likeMessagesOffer({ baseUrl: 'https://api.minimax.io/anthropic', sign: bearer }),
    'openai-chat': chatOffer({
      baseUrl: 'https://api.minimax.io/v1',
      sign: bearer,
      quirks: {
        multipleSystem: false,
        strictTools: false,
        jsonMode: 'object',
        reasoningWrite: 'none',
        reasoningRead: ['reasoning_details', 'reasoning_content'],
      },
    }),
    'minimax-video': { baseUrl: 'https://api.minimax.io/v1', path: '/video_generation', sign: bearer },
  },
};
