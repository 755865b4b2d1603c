/** Models at cloud hosts, each with its own authentication, on the strict simulator. */
import { type Simulator, simulatedAccessKey } from '@trivium/simulator';

export const AZURE_KEY = 'azure-upstream-canary-0123456789';
export const AWS_CREDENTIAL = `${simulatedAccessKey.accessKeyId}:${simulatedAccessKey.secretAccessKey}`;

export const CLOUD_MODELS = {
  vertexClaude: 'anthropic/claude-on-vertex',
  vertexGemini: 'google/gemini-on-vertex',
  bedrockClaude: 'anthropic/claude-on-bedrock',
  azureResponses: 'openai/gpt-5-on-azure',
  azureChat: 'openai/gpt-4o-on-azure',
  azureDeployment: 'openai/gpt-4o-deployed',
  openaiResponses: 'openai/gpt-5-responses',
  minimax: 'minimax/minimax-m2',
} as const;

const OWN_MODEL = { contextLength: 128_000, maxOutputTokens: 16_384 };
const BUDGETED = {
  tools: true,
  structuredOutput: true,
  temperature: true,
  thinking: { kind: 'budget', canDisable: true, min: 1024, max: 16_000 },
};
const EFFORT = { ...BUDGETED, thinking: { kind: 'effort', levels: ['low', 'medium', 'high'] } };

const model = (
  id: string,
  provider: string,
  dialect: string,
  upstreamModel: string,
  capabilities: object = BUDGETED,
) => ({
  id,
  ...OWN_MODEL,
  inputModalities: ['text', 'image'],
  capabilities,
  endpoints: [{ provider, dialect, upstreamModel }],
});

export const cloudHosts = (simulatorUrl: string, simulator?: Simulator) => ({
  providers: {
    'google-vertex': {
      credential: simulator?.serviceAccount() ?? '',
      baseUrl: `${simulatorUrl}/vertex`,
      variables: { region: 'europe-west1' },
    },
    'amazon-bedrock': {
      credential: AWS_CREDENTIAL,
      baseUrl: `${simulatorUrl}/bedrock`,
      variables: { region: 'eu-central-1' },
    },
    azure: { credential: AZURE_KEY, baseUrl: `${simulatorUrl}/azure/openai/v1` },
    'azure-deployments': { credential: AZURE_KEY, baseUrl: `${simulatorUrl}/azure/openai` },
    minimax: { credential: 'minimax-canary', baseUrl: `${simulatorUrl}/messages-compatible` },
  },
  models: [
    model(CLOUD_MODELS.vertexClaude, 'google-vertex', 'anthropic-messages', 'claude-sonnet-4-5@20250929'),
    model(CLOUD_MODELS.vertexGemini, 'google-vertex', 'google-generate', 'gemini-2.5-flash', {
      ...BUDGETED,
      thinking: { ...BUDGETED.thinking, min: 1, max: 24_576 },
    }),
    model(
      CLOUD_MODELS.bedrockClaude,
      'amazon-bedrock',
      'anthropic-messages',
      'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    ),
    model(CLOUD_MODELS.azureResponses, 'azure', 'openai-responses', 'gpt-5', EFFORT),
    model(CLOUD_MODELS.azureChat, 'azure', 'openai-chat', 'gpt-4o', { ...BUDGETED, thinking: { kind: 'none' } }),
    model(CLOUD_MODELS.azureDeployment, 'azure-deployments', 'openai-chat', 'gpt-4o', {
      ...BUDGETED,
      thinking: { kind: 'none' },
    }),
    model(CLOUD_MODELS.openaiResponses, 'openai', 'openai-responses', 'gpt-5', EFFORT),
    model(CLOUD_MODELS.minimax, 'minimax', 'anthropic-messages', 'MiniMax-M2'),
  ],
});
