// Azure OpenAI in its older form: the deployment is in the path and every call names an API version. Resources that
// have the newer form (`/openai/v1`) are better called as `azure`.

import { chatOffer, responsesOffer, speechOffer, transcriptionOffer } from './offers.ts';
import { OPENAI_CHAT } from './openai-quirks.ts';
import type { Provider } from './provider.ts';
import { apiKey } from './signers/headers.ts';
import { AZURE_AI } from './signers/schemes.ts';

const place = { baseUrl: 'https://{resource}.openai.azure.com/openai', sign: apiKey, identity: AZURE_AI };

export const azureDeployments: Provider = {
  id: 'azure-deployments',
  displayName: 'Azure OpenAI (deployments)',
  offers: {
    'openai-chat': {
      ...chatOffer({ ...place, quirks: { ...OPENAI_CHAT, obfuscationOff: false } }),
      path: '/deployments/{model}/chat/completions?api-version={apiversion}',
      defaults: { apiversion: '2024-10-21' },
    },
    'openai-speech': {
      ...speechOffer({ ...place, quirks: { events: true } }),
      path: '/deployments/{model}/audio/speech?api-version={apiversion}',
      defaults: { apiversion: '2025-04-01-preview' },
    },
    'openai-transcription': {
      ...transcriptionOffer({ ...place, quirks: { streams: true } }),
      path: '/deployments/{model}/audio/transcriptions?api-version={apiversion}',
      actionPaths: { translate: '/deployments/{model}/audio/translations?api-version={apiversion}' },
      defaults: { apiversion: '2025-04-01-preview' },
    },
    'openai-responses': {
      ...responsesOffer({ ...place, quirks: { obfuscationOff: false } }),
      path: '/responses?api-version={apiversion}',
      defaults: { apiversion: '2025-04-01-preview' },
    },
  },
};
