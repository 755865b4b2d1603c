/** A converse host beside the stand's own, with a model that can do what the format can hold. */
import { simulatedAccessKey } from '@trivium/simulator';
import { DESTINATIONS } from './roads.ts';
import type { StandOptions } from './stand.ts';

export const MODEL = 'anthropic/claude-by-converse';

export const EVERY_DESTINATION = [
  ...DESTINATIONS,
  { dialect: 'amazon-converse', model: MODEL, thinker: MODEL },
] as const;

export const CONVERSE_CREDENTIAL = `${simulatedAccessKey.accessKeyId}:${simulatedAccessKey.secretAccessKey}`;

export const withConverse =
  (also: NonNullable<StandOptions['alsoHosts']>): NonNullable<StandOptions['alsoHosts']> =>
  (url, simulator) => {
    const { providers, models } = also(url, simulator);
    const place = { credential: CONVERSE_CREDENTIAL, baseUrl: `${url}/bedrock`, variables: { region: 'eu-central-1' } };
    const endpoint = {
      provider: 'amazon-bedrock',
      dialect: 'amazon-converse',
      upstreamModel: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    };
    const claude = {
      id: MODEL,
      contextLength: 128_000,
      maxOutputTokens: 16_384,
      inputModalities: ['text', 'image', 'file'],
      capabilities: {
        tools: true,
        structuredOutput: true,
        temperature: true,
        thinking: { kind: 'budget', canDisable: true, min: 1024, max: 16_000 },
      },
      endpoints: [endpoint],
    };
    return { providers: { ...providers, 'amazon-bedrock': place }, models: [...models, claude] };
  };
