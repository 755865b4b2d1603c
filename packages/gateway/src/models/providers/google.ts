// Google's Gemini API, the home of generateContent.

import { embedOffer, generateOffer, operationsOffer, predictOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { xGoogApiKey } from './signers/headers.ts';

export const google: Provider = {
  id: 'google',
  displayName: 'Google Gemini API',
  home: true,
  sealFamily: 'gemini',
  offers: {
    'google-generate': {
      ...generateOffer({ baseUrl: 'https://generativelanguage.googleapis.com/v1beta', sign: xGoogApiKey }),
      actionPaths: { count: '/models/{model}:countTokens' },
    },
    'google-embed': embedOffer({ baseUrl: 'https://generativelanguage.googleapis.com/v1beta', sign: xGoogApiKey }),
    'google-predict': predictOffer({
      baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
      sign: xGoogApiKey,
    }),
    // Sound through the same calls; only events begin before the last word is spoken.
    'google-speech': generateOffer({
      baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
      sign: xGoogApiKey,
    }),
    'google-transcription': {
      baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
      sign: xGoogApiKey,
      path: '/models/{model}:generateContent',
    },
    'google-operations': operationsOffer({
      baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
      sign: xGoogApiKey,
    }),
  },
};
