// An operator's own llama.cpp server (`llama-server`). The chat template decides what roles and thinking mean.

import { belowV1, chatOffer, rerankOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const llamaCpp: Provider = {
  id: 'llama-cpp',
  displayName: 'llama.cpp',
  offers: {
    'cohere-rerank': {
      ...belowV1(rerankOffer({ baseUrl: 'http://127.0.0.1:8080', sign: bearer })),
      credential: 'optional',
    },
    'openai-chat': {
      ...belowV1(
        chatOffer({
          baseUrl: 'http://127.0.0.1:8080',
          sign: bearer,
          quirks: {
            multipleSystem: false,
            topKField: 'top_k',
            logitBias: true,
            strictTools: false,
            reasoningWrite: 'template',
            reasoningRead: ['reasoning_content'],
          },
        }),
      ),
      credential: 'optional',
    },
  },
};
