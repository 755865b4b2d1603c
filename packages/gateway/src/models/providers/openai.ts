// OpenAI, the home of chat completions, responses and the images format.

import {
  chatOffer,
  embeddingsOffer,
  imagesOffer,
  moderationsOffer,
  responsesOffer,
  speechOffer,
  transcriptionOffer,
} from './offers.ts';
import { OPENAI_CHAT, OPENAI_IMAGES, OPENAI_SPEECH } from './openai-quirks.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const openai: Provider = {
  id: 'openai',
  displayName: 'OpenAI',
  home: true,
  sealFamily: 'gpt',
  offers: {
    'openai-responses': {
      ...responsesOffer({ baseUrl: 'https://api.openai.com/v1', sign: bearer }),
      actionPaths: { count: '/responses/input_tokens', compact: '/responses/compact' },
    },
    'openai-chat': chatOffer({
      baseUrl: 'https://api.openai.com/v1',
      sign: bearer,
      quirks: OPENAI_CHAT,
    }),
    'openai-embeddings': embeddingsOffer({
      baseUrl: 'https://api.openai.com/v1',
      sign: bearer,
      quirks: { base64: true },
    }),
    'openai-moderations': moderationsOffer({ baseUrl: 'https://api.openai.com/v1', sign: bearer }),
    'openai-images': imagesOffer({ baseUrl: 'https://api.openai.com/v1', sign: bearer, quirks: OPENAI_IMAGES }),
    'openai-speech': speechOffer({ baseUrl: 'https://api.openai.com/v1', sign: bearer, quirks: OPENAI_SPEECH }),
    'openai-transcription': transcriptionOffer({
      baseUrl: 'https://api.openai.com/v1',
      sign: bearer,
      quirks: { streams: true },
    }),
  },
};
