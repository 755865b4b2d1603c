// Cartesia, for sound: every call names the version of the interface.

import type { Provider } from '../provider.ts';
import { bearer, type Header } from '../signers/headers.ts';

const headers: readonly Header[] = [['cartesia-version', '2026-08-14']];
const place = { baseUrl: 'https://api.cartesia.ai', sign: bearer, headers };

export const cartesia: Provider = {
  id: 'cartesia',
  displayName: 'Cartesia',
  home: true,
  offers: {
    'cartesia-speech': { ...place, path: '/tts/bytes' },
    'cartesia-transcription': { ...place, path: '/stt' },
  },
};
