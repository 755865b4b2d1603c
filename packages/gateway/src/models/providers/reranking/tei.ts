// An operator's own server of Text Embeddings Inference: one model, which its address names.

import { rerankOffer } from '../offers.ts';
import type { Provider } from '../provider.ts';
import { bearer } from '../signers/headers.ts';

export const tei: Provider = {
  id: 'tei',
  displayName: 'Text Embeddings Inference',
  offers: {
    'tei-rerank': { ...rerankOffer({ baseUrl: 'http://127.0.0.1:8080', sign: bearer }), credential: 'optional' },
  },
};
