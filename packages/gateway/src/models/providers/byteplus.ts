// BytePlus ModelArk (outside China): Seed, Seedream and Seedance.

import { chatOffer, imagesOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const byteplus: Provider = {
  id: 'byteplus',
  displayName: 'BytePlus ModelArk',
  home: true,
  offers: {
    'openai-chat': chatOffer({
      baseUrl: 'https://ark.ap-southeast.bytepluses.com/api/v3',
      sign: bearer,
      quirks: { reasoningWrite: 'thinking-type', reasoningRead: ['reasoning_content'], reasoningBesideCap: true },
    }),
    'ark-images': imagesOffer({ baseUrl: 'https://ark.ap-southeast.bytepluses.com/api/v3', sign: bearer }),
    'ark-video': {
      baseUrl: 'https://ark.ap-southeast.bytepluses.com/api/v3',
      path: '/contents/generations/tasks',
      sign: bearer,
    },
  },
};
