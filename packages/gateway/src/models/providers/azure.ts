// Microsoft Azure AI: OpenAI and Claude models in the operator's own resource.
// Its FLUX images (azure-flux-images) are absent until that format is built.

import {
  chatOffer,
  imagesOffer,
  messagesOffer,
  rerankOffer,
  responsesOffer,
  speechOffer,
  transcriptionOffer,
} from './offers.ts';
import { OPENAI_CHAT, OPENAI_IMAGES, OPENAI_SPEECH } from './openai-quirks.ts';
import type { Provider } from './provider.ts';
import { apiKey } from './signers/headers.ts';
import { AZURE_AI } from './signers/schemes.ts';

export const azure: Provider = {
  id: 'azure',
  displayName: 'Microsoft Azure AI',
  offers: {
    'openai-responses': responsesOffer({
      baseUrl: 'https://{resource}.openai.azure.com/openai/v1',
      sign: apiKey,
      identity: AZURE_AI,
    }),
    'openai-chat': chatOffer({
      baseUrl: 'https://{resource}.openai.azure.com/openai/v1',
      sign: apiKey,
      identity: AZURE_AI,
      quirks: { ...OPENAI_CHAT, obfuscationOff: false },
    }),
    'openai-images': imagesOffer({
      baseUrl: 'https://{resource}.openai.azure.com/openai/v1',
      sign: apiKey,
      identity: AZURE_AI,
      quirks: OPENAI_IMAGES,
    }),
    'openai-speech': speechOffer({
      baseUrl: 'https://{resource}.openai.azure.com/openai/v1',
      sign: apiKey,
      identity: AZURE_AI,
      quirks: OPENAI_SPEECH,
    }),
    'openai-transcription': transcriptionOffer({
      baseUrl: 'https://{resource}.openai.azure.com/openai/v1',
      sign: apiKey,
      identity: AZURE_AI,
      quirks: { streams: true },
    }),
    'cohere-rerank': rerankOffer({
      baseUrl: 'https://{resource}.services.ai.azure.com/providers/cohere/v2',
      sign: apiKey,
      identity: AZURE_AI,
      quirks: { maxTokensPerDoc: true },
    }),
    // Everything that Anthropic itself runs: betas of LiteLLM 1.109.1.
    'anthropic-messages': messagesOffer({
      baseUrl: 'https://{resource}.services.ai.azure.com/anthropic',
      sign: apiKey,
      identity: AZURE_AI,
    }),
  },
};
