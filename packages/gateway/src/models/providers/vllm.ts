// An operator's own vLLM server. Thinking is switched by the chat template, and read under its newer name first.

import { belowV1, chatOffer, embeddingsOffer, rerankOffer, transcriptionOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const vllm: Provider = {
  id: 'vllm',
  displayName: 'vLLM',
  offers: {
    'cohere-rerank': {
      ...belowV1(rerankOffer({ baseUrl: 'http://127.0.0.1:8000', sign: bearer })),
      credential: 'optional',
    },
    'openai-embeddings': {
      ...belowV1(embeddingsOffer({ baseUrl: 'http://127.0.0.1:8000', sign: bearer, quirks: { base64: true } })),
      credential: 'optional',
    },
    'openai-transcription': {
      ...belowV1(
        transcriptionOffer({
          baseUrl: 'http://127.0.0.1:8000',
          sign: bearer,
          quirks: { streams: true, streamUsageField: true },
        }),
      ),
      credential: 'optional',
    },
    'openai-chat': {
      ...belowV1(
        chatOffer({
          baseUrl: 'http://127.0.0.1:8000',
          sign: bearer,
          quirks: {
            topKField: 'top_k',
            logitBias: true,
            reasoningWrite: 'template',
            reasoningRead: ['reasoning', 'reasoning_content'],
          },
        }),
      ),
      credential: 'optional',
    },
  },
};
