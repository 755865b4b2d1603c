// Anthropic, the home of the messages format.

import { messagesOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { xApiKey } from './signers/headers.ts';

export const anthropic: Provider = {
  id: 'anthropic',
  displayName: 'Anthropic',
  home: true,
  sealFamily: 'claude',
  offers: {
    'anthropic-messages': {
      ...messagesOffer({ baseUrl: 'https://api.anthropic.com', sign: xApiKey }),
      actionPaths: { count: '/v1/messages/count_tokens' },
    },
  },
};
