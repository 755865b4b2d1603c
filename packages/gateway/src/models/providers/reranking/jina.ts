// Jina AI, for reranking: Cohere's format, and documents in the answer unless they are declined.

import { rerankOffer } from '../offers.ts';
import type { Provider } from '../provider.ts';
import { bearer } from '../signers/headers.ts';

export const jina: Provider = {
  id: 'jina',
  displayName: 'Jina AI',
  home: true,
  offers: {
    'cohere-rerank': rerankOffer({
      baseUrl: 'https://api.jina.ai/v1',
      sign: bearer,
      quirks: { documentsOff: true },
    }),
  },
};
