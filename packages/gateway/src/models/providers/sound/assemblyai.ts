// AssemblyAI, for the words of recordings: a recording is brought, and its words are there later.

import type { Provider } from '../provider.ts';
import { bare } from '../signers/headers.ts';

export const assemblyai: Provider = {
  id: 'assemblyai',
  displayName: 'AssemblyAI',
  home: true,
  offers: {
    'assemblyai-transcription': { baseUrl: 'https://api.assemblyai.com/v2', path: '/upload', sign: bare },
  },
};
