/** A configuration with a host of every format for text, all of them at one address. */
import { type Config, loadConfig } from '@trivium/gateway';
import { simulatedAccessKey } from '@trivium/simulator';

export const SECRET = 'sk-live-canary-0123456789abcdef';
export const KEY_PAIR = `${simulatedAccessKey.accessKeyId}:${simulatedAccessKey.secretAccessKey}`;

const price = (value: string) => [{ value, unit: 'perMTokens', currency: 'USD' }];
const PRICES = { prompt: price('1'), completion: price('4') };
const BUDGET = { kind: 'budget', canDisable: true, min: 1024, max: 16_000 };
const LEVELS = { kind: 'effort', levels: ['low', 'medium', 'high'] };

const model = (
  id: string,
  provider: string,
  dialect: string,
  upstreamModel: string,
  thinking: object = { kind: 'none' },
) => ({
  id,
  contextLength: 128_000,
  maxOutputTokens: 16_384,
  inputModalities: ['text', 'image'],
  capabilities: { tools: true, structuredOutput: true, temperature: true, thinking },
  endpoints: [{ provider, dialect, upstreamModel, pricings: PRICES }],
});

export const CALLER = 'sk-trivium-live-0123456789abcdefghijklmnopqrst';

/** With what else the configuration has. */
export function liveConfig(url: string, more: object = {}): Config {
  const outcome = loadConfig({
    env: {},
    text: JSON.stringify({
      listen: { host: '127.0.0.1', port: 0 },
      admin: { host: '127.0.0.1', port: 0 },
      log: { level: 'silent' },
      keys: [{ name: 'only', secret: CALLER }],
      providers: {
        openai: { credential: SECRET, baseUrl: `${url}/openai/v1` },
        anthropic: { credential: SECRET, baseUrl: `${url}/anthropic` },
        google: { credential: SECRET, baseUrl: `${url}/google/v1beta` },
        'amazon-bedrock': { credential: KEY_PAIR, baseUrl: `${url}/bedrock`, variables: { region: 'eu-central-1' } },
      },
      models: [
        model('check/gpt-4o', 'openai', 'openai-chat', 'gpt-4o'),
        model('check/gpt-5', 'openai', 'openai-responses', 'gpt-5', LEVELS),
        model('check/claude', 'anthropic', 'anthropic-messages', 'claude-sonnet-4-5', BUDGET),
        model('check/gemini', 'google', 'google-generate', 'gemini-2.5-flash', { ...BUDGET, min: 1, max: 24_576 }),
        model(
          'check/converse',
          'amazon-bedrock',
          'amazon-converse',
          'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
          BUDGET,
        ),
      ],
      ...more,
    }),
  });
  if ('problems' in outcome) throw new Error(JSON.stringify(outcome.problems));
  return outcome.config;
}

/** Which host and model are asked in a format. */
export const PLACE_OF = {
  'openai-chat': { provider: 'openai', model: 'check/gpt-4o' },
  'openai-responses': { provider: 'openai', model: 'check/gpt-5' },
  'anthropic-messages': { provider: 'anthropic', model: 'check/claude' },
  'google-generate': { provider: 'google', model: 'check/gemini' },
  'amazon-converse': { provider: 'amazon-bedrock', model: 'check/converse' },
} as const;
