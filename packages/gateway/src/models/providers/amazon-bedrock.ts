// Amazon Bedrock: Claude through messages, in the operator's own account and region, and OpenAI's models through Responses.
// Other makers' models (bedrock-converse) are absent until that format is built.

import { messagesOffer, responsesOffer } from './offers.ts';
import type { Provider } from './provider.ts';

const place = {
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
  sign: { kind: 'aws-sigv4', service: 'bedrock' },
} as const;

export const amazonBedrock: Provider = {
  id: 'amazon-bedrock',
  displayName: 'Amazon Bedrock',
  offers: {
    'anthropic-messages': {
      ...messagesOffer({
        ...place,
        // No web tools; tool search by regex (not BM25), under the clouds' beta: tables in @ai-sdk/amazon-bedrock
        // 4.0.186 and LiteLLM 1.109.1.
        quirks: {
          bodyVersion: 'bedrock-2023-05-31',
          streamMember: false,
          bodyBetas: true,
          webSearch: false,
          webFetch: false,
          toolSearchBm25: false,
          toolSearchBeta: 'tool-search-tool-2025-10-19',
          fetchesUrls: false,
        },
      }),
      path: '/model/{model}/invoke',
      streamPath: '/model/{model}/invoke-with-response-stream',
      headers: [],
    },
    'openai-responses': {
      ...responsesOffer({ ...place, quirks: { webSearchTool: false, homeMembers: false, obfuscationOff: false } }),
      path: '/openai/v1/responses',
    },
  },
};
