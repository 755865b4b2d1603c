// DeepSeek. Thinking has to be sent back beside tool calls, or the next turn is refused.

import { chatOffer, likeMessagesOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

export const deepseek: Provider = {
  id: 'deepseek',
  displayName: 'DeepSeek',
  home: true,
  offers: {
    'openai-chat': chatOffer({
      baseUrl: 'https://api.deepseek.com',
      sign: bearer,
      quirks: {
        seedField: 'none',
        stopMax: 16,
        strictTools: false,
        parallelToolCallsField: false,
        jsonMode: 'object',
        reasoningWrite: 'thinking-type',
        reasoningRead: ['reasoning_content'],
        reasoningReplay: 'required',
        cachedTokensAt: ['prompt_cache_hit_tokens', 'prompt_tokens_details.cached_tokens'],
      },
    }),
    'anthropic-messages': likeMessagesOffer({ baseUrl: 'https://api.deepseek.com/anthropic', sign: bearer }),
  },
};
