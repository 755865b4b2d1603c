// Alibaba Cloud Model Studio (international): Qwen and Wan.

import { chatOffer, messagesOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const alibaba: Provider = {
  id: 'alibaba',
  displayName: 'Alibaba Cloud Model Studio',
  home: true,
  offers: {
    'openai-chat': chatOffer({
      baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
      sign: bearer,
      quirks: {
        topKField: 'top_k',
        strictTools: false,
        toolChoiceAny: 'none',
        reasoningWrite: 'enable-thinking',
        reasoningRead: ['reasoning_content'],
      },
    }),
    'anthropic-messages': messagesOffer({
      baseUrl: 'https://dashscope-intl.aliyuncs.com/apps/anthropic',
      sign: bearer,
    }),
    'dashscope-video': {
      baseUrl: 'https://dashscope-intl.aliyuncs.com/api/v1',
      path: '/services/aigc/video-generation/video-synthesis',
      sign: bearer,
    },
  },
};
