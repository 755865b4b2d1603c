/** A YAML example for every row of the configuration reference: its default, or a value that says what kind of thing belongs there. */
import { stringify } from 'yaml';

export interface ExampleSchema {
  readonly type?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, ExampleSchema>>;
  readonly patternProperties?: Readonly<Record<string, ExampleSchema>>;
  readonly items?: ExampleSchema;
  readonly anyOf?: readonly ExampleSchema[];
}

const price = (value: string) => [{ value, unit: 'perMTokens', currency: 'USD' }];
const PRICES = { prompt: price('2.5'), completion: price('10') };

/** By path, for settings without a default. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  'listen.trustedProxies': ['10.0.3.0/28'],
  'admin.secret': 'env:TRIVIUM_OPERATOR',
  'listen.publicUrl': 'https://gw.example.com',
  'admin.publicUrl': 'https://admin.example.com',
  'admin.members.publicUrl': 'https://team.example.com',
  'keys[].name': 'web-app',
  'keys[].secret': 'env:TRIVIUM_KEY',
  'keys[].hash': 'sha256:0cff6d9e518a96812329f9fae90cd2a60b431e27a4c8a67e60b885262fe35484',
  'keys[].models': ['openai/*', 'anthropic/claude-sonnet-4.6'],
  'keys[].providers': ['openai', 'anthropic'],
  'keys[].addresses': ['10.1.0.0/16'],
  'keys[].tolerates': ['seed'],
  'keys[].expiresAt': '2030-01-01T00:00:00Z',
  'providers.<id>.credential': 'env:LAB_API_KEY',
  'providers.<id>.credentials': ['env:LAB_API_KEY_2'],
  'providers.<id>.baseUrl': 'https://models.example.com/v1',
  'providers.<id>.variables': { region: 'eu-central-1' },
  'providers.<id>.region': 'eu',
  'providers.<id>.displayName': 'The lab',
  'providers.<id>.quirks.thinkingModelsRefuse': ['temperature'],
  'providers.<id>.quirks.usageVendorField': 'x_lab',
  'providers.<id>.quirks.cachedTokensAt': ['prompt_tokens_details', 'cached_tokens'],
  'providers.<id>.quirks.bodyVersion': '2023-06-01',
  'models[].id': 'local/llama',
  'models[].endpoints[].provider': 'lab',
  'models[].endpoints[].dialect': 'openai-chat',
  'models[].endpoints[].upstreamModel': 'llama-3.3-70b-instruct',
  'models[].endpoints[].contextLength': 131_072,
  'models[].endpoints[].maxOutputTokens': 8192,
  'models[].endpoints[].region': 'eu',
  'models[].endpoints[].image.size': { kind: 'ratio', ratios: ['1:1', '16:9'] },
  'models[].endpoints[].image.source': 'the provider’s documentation, 2026-11',
  'models[].endpoints[].video.aspectRatios': ['16:9'],
  'models[].endpoints[].video.resolutions': ['720p', '1080p'],
  'models[].endpoints[].video.seconds': [5, 10],
  'models[].endpoints[].video.secondsDefault': 5,
  'models[].endpoints[].video.secondsAt': { '1080p': [5] },
  'models[].endpoints[].video.source': 'the provider’s documentation, 2026-11',
  'models[].endpoints[].pricings': PRICES,
  'models[].endpoints[].priceBasis': '720p',
  'models[].endpoints[].priceWhen.resolution': ['720p'],
  'models[].endpoints[].priceWhen.quality': ['high'],
  'models[].endpoints[].priceWhen.from': '2026-12-01',
  'models[].endpoints[].priceWhen.until': '2027-01-01',
  'models[].endpoints[].otherPrices': [{ basis: '1080p', when: { resolution: ['1080p'] }, pricings: PRICES }],
  'models[].endpoints[].source': 'our contract of 2026-11',
  'models[].aliases': ['llama'],
  'models[].displayName': 'Llama in the lab',
  'models[].description': 'For drafts.',
  'models[].created': '2026-11-01',
  'models[].contextLength': 131_072,
  'models[].maxOutputTokens': 8192,
  'models[].capabilities.thinking': { kind: 'effort', canDisable: true, levels: ['low', 'medium', 'high'] },
  'models[].capabilities.aspectRatios': ['1:1'],
  'catalogue.changes': { 'openai/gpt-4o': { hide: true } },
  'aliases.<id>': 'openai/gpt-5.5',
  'auto.models': ['openai/gpt-5.5', 'anthropic/claude-sonnet-4.6'],
  'cors.origins': ['https://app.example.com'],
  'upstream.proxy': 'env:OUTBOUND_PROXY',
  'upstream.ca': ['file:/etc/ssl/company-ca.pem'],
  'seals.keys': ['env:TRIVIUM_SEALS_KEY'],
  'media.fetch.alsoAddresses': ['10.2.0.0/16'],
  'blobs.s3.endpoint': 'https://s3.eu-central-1.amazonaws.com',
  'blobs.s3.bucket': 'results',
  'blobs.s3.accessKeyId': 'env:S3_ACCESS_KEY_ID',
  'blobs.s3.secretAccessKey': 'env:S3_SECRET_ACCESS_KEY',
  'blobs.s3.sessionToken': 'env:S3_SESSION_TOKEN',
  'blobs.publicUrl': 'https://gw.example.com',
  'webhooks.alsoAddresses': ['10.2.0.0/16'],
  'alerts.smtp.host': 'smtp.example.com',
  'alerts.smtp.user': 'trivium',
  'alerts.smtp.password': 'env:SMTP_PASSWORD',
  'alerts.smtp.from': 'trivium@example.com',
  'policies[].name': 'eu-only',
  'policies[].scope.account': 'acme',
  'policies[].scope.key': 'web-app',
  'policies[].scope.tag': 'team=search',
  'policies[].match.models': ['openai/*'],
  'policies[].fallbacks': [{ model: 'anthropic/claude-sonnet-4.6', on: ['error', 'over-rate'] }],
  'policies[].order': ['azure', 'openai'],
  'policies[].weights': { azure: 80, openai: 20 },
  'policies[].only': ['azure', 'openai'],
  'policies[].ignore': ['lab'],
  'policies[].maxPrice': { promptUsdPerMillion: 5, completionUsdPerMillion: 20 },
  'policies[].region': ['eu'],
  'policies[].retention': 0,
  'policies[].trains': false,
  'policies[].timeouts': { firstByteMs: 10_000, silenceMs: 10_000, totalMs: 120_000 },
  'database.url': 'env:DATABASE_URL',
  'database.directUrl': 'env:DATABASE_DIRECT_URL',
  'redis.url': 'env:REDIS_URL',
  'secrets.keys': ['env:TRIVIUM_SECRETS_KEY'],
  'payments.<id>.secrets': ['env:CARDS_WEBHOOK_SECRET'],
};

/** Ids in maps. */
const IDS: Readonly<Record<string, string>> = {
  providers: 'lab',
  'rateLimits.models': 'openai/gpt-5.5',
  'rateLimits.keys': 'batch-job',
  aliases: 'smart',
  payments: 'cards',
};

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

function exampleOf(schema: ExampleSchema, path: string): unknown {
  if (path in EXAMPLES) return EXAMPLES[path];
  if (schema.anyOf?.[0] !== undefined) return exampleOf(schema.anyOf[0], path);
  if (schema.properties !== undefined)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, own]) => [name, exampleOf(own, `${path}.${name}`)]),
    );
  const [each] = Object.values(schema.patternProperties ?? {});
  if (each !== undefined) return { [IDS[path] ?? 'acme']: exampleOf(each, `${path}.<id>`) };
  if (!isEmpty(schema.default)) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.items !== undefined) return [exampleOf(schema.items, `${path}[]`)];
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(schema.minimum ?? 0, 1);
  return 'text';
}

export const exampleText = (name: string, schema: ExampleSchema): string =>
  stringify({ [name]: exampleOf(schema, name) }, { lineWidth: 0 }).trimEnd();
