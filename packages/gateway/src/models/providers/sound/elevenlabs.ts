// ElevenLabs, for sound: the voice and the form of speech are in the address.

import type { Provider } from '../provider.ts';
import { xiApiKey } from '../signers/headers.ts';

const place = { baseUrl: 'https://api.elevenlabs.io/v1', sign: xiApiKey };

export const elevenlabs: Provider = {
  id: 'elevenlabs',
  displayName: 'ElevenLabs',
  home: true,
  offers: {
    'elevenlabs-speech': { ...place, path: '/text-to-speech' },
    'elevenlabs-transcription': { ...place, path: '/speech-to-text' },
  },
};
