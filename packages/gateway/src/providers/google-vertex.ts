// Google Cloud Vertex AI. All its offers (google-generate, google-predict, google-operations, anthropic-messages,
// openai-chat) need the Google OAuth signer and are absent until that is built.

import type { Provider } from './provider.ts';

export const googleVertex: Provider = {
  id: 'google-vertex',
  displayName: 'Google Cloud Vertex AI',
  offers: {},
};
