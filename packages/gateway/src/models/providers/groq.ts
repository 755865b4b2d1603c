// Groq. Streams report usage inside a vendor-specific member.

import { chatOffer, speechOffer, transcriptionOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const groq: Provider = {
  id: 'groq',
  displayName: 'Groq',
  offers: {
    'openai-chat': chatOffer({
      baseUrl: 'https://api.groq.com/openai/v1',
      sign: bearer,
      quirks: {
        maxTokensField: 'max_completion_tokens',
        messageNames: false,
        logprobs: false,
        strictTools: false,
        reasoningWrite: 'effort-parsed',
        reasoningRead: ['reasoning'],
        streamUsage: 'always',
        usageAt: 'vendor',
        usageVendorField: 'x_groq',
      },
    }),
    'openai-speech': speechOffer({
      baseUrl: 'https://api.groq.com/openai/v1',
      sign: bearer,
      quirks: { instructions: false, formats: ['wav', 'mp3', 'flac'] },
    }),
    'openai-transcription': transcriptionOffer({ baseUrl: 'https://api.groq.com/openai/v1', sign: bearer }),
  },
};
