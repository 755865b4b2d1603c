// Google Cloud Vertex AI: Gemini, Claude, other makers' open models, images and video in the operator's own project.

import { chatOffer, generateOffer, messagesOffer } from './offers.ts';
import type { Offer, Provider } from './provider.ts';
import { GOOGLE_CLOUD } from './signers/schemes.ts';

const place = {
  baseUrl: 'https://{region}-aiplatform.googleapis.com',
  baseUrlOfRegion: {
    global: 'https://aiplatform.googleapis.com',
    us: 'https://aiplatform.us.rep.googleapis.com',
    eu: 'https://aiplatform.eu.rep.googleapis.com',
  },
  defaults: { region: 'global' },
  sign: GOOGLE_CLOUD,
};

const LOCATION = '/v1/projects/{project}/locations/{region}';
const google = (action: string): string => `${LOCATION}/publishers/google/models/{model}:${action}`;
const anthropic = (action: string): string => `${LOCATION}/publishers/anthropic/models/{model}:${action}`;
const predict = (action: string): Offer => ({ ...place, path: google(action) });

export const googleVertex: Provider = {
  id: 'google-vertex',
  displayName: 'Google Cloud Vertex AI',
  offers: {
    'google-generate': {
      // The cloud edition refuses ids on function calls.
      ...generateOffer({ ...place, quirks: { functionIds: false, countsWholeCall: false } }),
      path: google('generateContent'),
      streamPath: google('streamGenerateContent?alt=sse'),
      actionPaths: { count: google('countTokens') },
    },
    'anthropic-messages': {
      // Web search and tool search, but no web fetch: tools of @ai-sdk/google-vertex 5.0.98, betas of LiteLLM 1.109.1.
      ...messagesOffer({
        ...place,
        quirks: {
          bodyVersion: 'vertex-2023-10-16',
          webFetch: false,
          toolSearchBeta: 'tool-search-tool-2025-10-19',
          fetchesUrls: false,
        },
      }),
      path: anthropic('rawPredict'),
      streamPath: anthropic('streamRawPredict'),
      // The model of a count is in its body.
      actionPaths: { count: `${LOCATION}/publishers/anthropic/models/count-tokens:rawPredict` },
      headers: [],
    },
    'openai-chat': {
      ...chatOffer({ ...place, quirks: { reasoningRead: ['reasoning_content'] } }),
      path: `${LOCATION}/endpoints/openapi/chat/completions`,
    },
    'google-embed': { ...predict('predict'), quirks: { form: 'predict', inputsMax: 250 } },
    'google-predict': predict('predict'),
    'google-operations': { ...predict('predictLongRunning'), form: 'cloud' },
  },
};
