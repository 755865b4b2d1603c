// Alibaba Cloud Model Studio (international): Qwen and Wan.

import { chatOffer, likeMessagesOffer } from './offers.ts';
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
        reasoningBesideCap: true,
      },
    }),
    'anthropic-messages': likeMessagesOffer({
      baseUrl: 'https://dashscope-intl.aliyuncs.com/apps/anthropic',
      sign: bearer,
    }),
    'dashscope-images': {
      baseUrl: 'https://dashscope-intl.aliyuncs.com/api/v1',
      path: '/services/aigc/image-generation/generation',
      actionPaths: { prompt: '/services/aigc/text2image/image-synthesis' },
      sign: bearer,
      headers: [['x-dashscope-async', 'enable']],
      quirks: { promptModels: ['qwen-image', 'wanx', 'wan2.1-', 'wan2.2-', 'wan2.5-'] },
    },
    'dashscope-video': {
      baseUrl: 'https://dashscope-intl.aliyuncs.com/api/v1',
      path: '/services/aigc/video-generation/video-synthesis',
      sign: bearer,
    },
  },
};
