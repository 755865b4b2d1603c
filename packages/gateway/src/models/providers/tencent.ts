// Tencent Cloud TokenHub: Hunyuan.

import { chatOffer, likeMessagesOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const tencent: Provider = {
  id: 'tencent',
  displayName: 'Tencent Cloud TokenHub',
  home: true,
  offers: {
    'openai-chat': chatOffer({
      baseUrl: 'https://tokenhub-intl.tencentmaas.com/v1',
      sign: bearer,
      quirks: { strictTools: false, reasoningRead: ['reasoning_content'] },
    }),
    'anthropic-messages': likeMessagesOffer({ baseUrl: 'https://tokenhub-intl.tencentmaas.com', sign: bearer }),
  },
};
