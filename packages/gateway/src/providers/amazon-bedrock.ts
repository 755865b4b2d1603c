// Amazon Bedrock. All its offers (anthropic-messages, bedrock-converse, openai-responses) need the AWS SigV4 signer
// and are absent until that is built.

import type { Provider } from './provider.ts';

export const amazonBedrock: Provider = {
  id: 'amazon-bedrock',
  displayName: 'Amazon Bedrock',
  offers: {},
};
