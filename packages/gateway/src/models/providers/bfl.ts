// Black Forest Labs: FLUX images, one path per model.

import type { Provider } from './provider.ts';
import { xKey } from './signers/headers.ts';

export const bfl: Provider = {
  id: 'bfl',
  displayName: 'Black Forest Labs',
  home: true,
  offers: {
    'bfl-images': { baseUrl: 'https://api.bfl.ai/v1', path: '/{model}', sign: xKey },
  },
};
