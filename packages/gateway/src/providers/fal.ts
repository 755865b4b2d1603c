// fal: queued media jobs, one path per model.

import type { Provider } from './provider.ts';
import { key } from './signers/headers.ts';

export const fal: Provider = {
  id: 'fal',
  displayName: 'fal',
  offers: {
    'fal-queue': { baseUrl: 'https://queue.fal.run', path: '/{model}', sign: key },
  },
};
