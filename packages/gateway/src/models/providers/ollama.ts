// Ollama on the operator's own machine. It reads a subset of each format and ignores the rest.

import { belowV1, chatOffer, embeddingsOffer, messagesOffer, responsesOffer } from './offers.ts';
import type { Provider } from './provider.ts';
import { bearer } from './signers/headers.ts';

const place = { baseUrl: 'http://127.0.0.1:11434', sign: bearer };

export const ollama: Provider = {
  id: 'ollama',
  displayName: 'Ollama',
  offers: {
    'openai-embeddings': {
      ...belowV1(embeddingsOffer({ ...place, quirks: { tokenInput: false } })),
      credential: 'optional',
    },
    'openai-chat': {
      ...belowV1(
        chatOffer({
          ...place,
          quirks: {
            messageNames: false,
            strictTools: false,
            toolChoiceAny: 'none',
            toolChoiceNamed: false,
            parallelToolCallsField: false,
            reasoningRead: ['reasoning'],
          },
        }),
      ),
      credential: 'optional',
    },
    'openai-responses': {
      ...belowV1(
        responsesOffer({
          ...place,
          quirks: {
            encryptedReasoning: false,
            freeFormTools: false,
            webSearchTool: false,
            fileUrls: false,
            homeMembers: false,
            minOutputTokens: 1,
            obfuscationOff: false,
          },
        }),
      ),
      credential: 'optional',
    },
    'anthropic-messages': {
      ...messagesOffer({
        ...place,
        quirks: {
          messagesOutput: 'instruction',
          webSearch: false,
          webFetch: false,
          toolSearch: false,
          clientTools: false,
          documents: false,
          searchResults: false,
          fetchesUrls: false,
          cacheMarks: 0,
          effort: false,
          strictTools: false,
        },
      }),
      credential: 'optional',
    },
  },
};
