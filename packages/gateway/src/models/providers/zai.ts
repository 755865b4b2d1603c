// Z.ai (GLM). Tool arguments are streamed only on request; a tool call cannot be forced.

import { chatOffer, likeMessagesOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const zai: Provider = {
  id: 'zai',
  displayName: 'Z.ai',
  home: true,
  offers: {
    'openai-chat': chatOffer({
      baseUrl: 'https://api.z.ai/api/paas/v4',
      sign: bearer,
      quirks: {
        seedField: 'none',
        penalties: false,
        stopMax: 1,
        logprobs: false,
        strictTools: false,
        toolChoiceAny: 'none',
        toolChoiceNamed: false,
        parallelToolCallsField: false,
        toolStreamSwitch: true,
        jsonMode: 'object',
        reasoningWrite: 'thinking-type',
        reasoningRead: ['reasoning_content'],
      },
    }),
    'anthropic-messages': likeMessagesOffer({ baseUrl: 'https://api.z.ai/api/anthropic', sign: bearer }),
  },
};
