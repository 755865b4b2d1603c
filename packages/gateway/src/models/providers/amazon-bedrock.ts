// Amazon Bedrock, in the operator's own account and region: Claude through messages, OpenAI's models through Responses,
// every other maker's through converse. What the makers' models take there is in `amazon-families.ts`.

import { CONVERSE_FAMILIES } from './amazon-families.ts';
import { messagesOffer, responsesOffer } from './offers.ts';
import type { Provider } from './provider.ts';

const CHINA = 'https://bedrock-runtime.{region}.amazonaws.com.cn';
const place = {
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
  baseUrlOfRegion: {
    'cn-north-1': CHINA,
    'cn-northwest-1': CHINA,
    'eusc-de-east-1': 'https://bedrock-runtime.{region}.amazonaws.eu',
  },
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
      escapesSlashes: true,
      headers: [],
    },
    'amazon-converse': {
      ...place,
      path: '/model/{model}/converse',
      streamPath: '/model/{model}/converse-stream',
      actionPaths: { count: '/model/{model}/count-tokens' },
      escapesSlashes: true,
      quirks: { families: CONVERSE_FAMILIES },
    },
    'openai-responses': {
      ...responsesOffer({ ...place, quirks: { webSearchTool: false, homeMembers: false, obfuscationOff: false } }),
      path: '/openai/v1/responses',
    },
  },
};
