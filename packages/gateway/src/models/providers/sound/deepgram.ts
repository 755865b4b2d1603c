// Deepgram, for sound: what is asked for is in the query, and a recording is the whole body.

import type { Provider } from '../provider.ts';
import { token } from '../signers/headers.ts';

const place = { baseUrl: 'https://api.deepgram.com/v1', sign: token };

export const deepgram: Provider = {
  id: 'deepgram',
  displayName: 'Deepgram',
  home: true,
  offers: {
    'deepgram-speech': { ...place, path: '/speak' },
    'deepgram-transcription': { ...place, path: '/listen' },
  },
};
