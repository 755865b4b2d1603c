// Moonshot AI. Streams may carry usage inside the choice, and cached tokens at the top of usage.

import { chatOffer, likeMessagesOffer, responsesOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const moonshotai: Provider = {
  id: 'moonshotai',
  displayName: 'Moonshot AI',
  home: true,
  offers: {
    'openai-chat': chatOffer({
      baseUrl: 'https://api.moonshot.ai/v1',
      sign: bearer,
      quirks: {
        seedField: 'none',
        logprobs: false,
        strictTools: false,
        toolChoiceAny: 'none',
        toolChoiceNamed: false,
        reasoningWrite: 'thinking-type',
        reasoningRead: ['reasoning_content'],
        reasoningReplay: 'required',
        usageAt: 'choice',
        cachedTokensAt: ['cached_tokens', 'prompt_tokens_details.cached_tokens'],
      },
    }),
    'openai-responses': responsesOffer({ baseUrl: 'https://api.moonshot.ai/v1', sign: bearer }),
    'anthropic-messages': likeMessagesOffer({ baseUrl: 'https://api.moonshot.ai/anthropic', sign: bearer }),
  },
};
