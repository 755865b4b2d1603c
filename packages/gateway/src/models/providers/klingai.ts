// Kling AI: videos, each call signed with a short-lived token made from an access key and its secret.

import type { Provider } from './provider.ts';
import { KEY_PAIR } from './signers/schemes.ts';

export const klingai: Provider = {
  id: 'klingai',
  displayName: 'Kling AI',
  home: true,
  offers: {
    'kling-video': { baseUrl: 'https://api-singapore.klingai.com', path: '/v1/videos/text2video', sign: KEY_PAIR },
  },
};
