// OpenAI, the home of chat completions, responses and the images format.

import { chatOffer, imagesOffer, responsesOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const openai: Provider = {
  id: 'openai',
  displayName: 'OpenAI',
  home: true,
  offers: {
    'openai-responses': responsesOffer({ baseUrl: 'https://api.openai.com/v1', sign: bearer }),
    'openai-chat': chatOffer({
      baseUrl: 'https://api.openai.com/v1',
      sign: bearer,
      quirks: {
        maxTokensField: 'max_completion_tokens',
        systemRole: 'as-given',
        logitBias: true,
        verbosity: true,
        webSearchOptions: true,
        customTools: true,
        thinkingModelsRefuse: [
          'temperature',
          'top_p',
          'frequency_penalty',
          'presence_penalty',
          'stop',
          'logit_bias',
          'logprobs',
        ],
        reasoningRead: [],
        reasoningReplay: 'forbidden',
        obfuscationOff: true,
      },
    }),
    'openai-images': imagesOffer({ baseUrl: 'https://api.openai.com/v1', sign: bearer }),
  },
};
