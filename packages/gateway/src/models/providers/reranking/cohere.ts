// Cohere, for reranking: its second version of the format.

import { rerankOffer } from '../offers.ts';
import type { Provider } from '../provider.ts';
import { bearer } from '../signers/headers.ts';

export const cohere: Provider = {
  id: 'cohere',
  displayName: 'Cohere',
  home: true,
  offers: {
    'cohere-rerank': rerankOffer({
      baseUrl: 'https://api.cohere.com/v2',
      sign: bearer,
      quirks: { maxTokensPerDoc: true, priority: true },
    }),
  },
};
