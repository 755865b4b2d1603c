// Voyage AI, for reranking, in a format of its own.

import { rerankOffer } from '../offers.ts';
import type { Provider } from '../provider.ts';
import { bearer } from '../signers/headers.ts';

export const voyage: Provider = {
  id: 'voyage',
  displayName: 'Voyage AI',
  home: true,
  offers: {
    'voyage-rerank': rerankOffer({ baseUrl: 'https://api.voyageai.com/v1', sign: bearer }),
  },
};
