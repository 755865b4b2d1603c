/** Every request of the corpora as the body for a model of every family: what the fixtures ask, and what each canonical field may hold. */
import { readdirSync, readFileSync } from 'node:fs';
import { providerSet } from '@trivium/gateway';
import { GatewayError, type JsonObject, type TextCall } from '@trivium/protocol/canonical';
import { findDialect, findTextDialect, type TargetFacts } from '@trivium/protocol/dialects';
import { samplesFor } from '../laws/stance-samples.ts';

const FIXTURES = new URL('../../packages/protocol/fixtures/', import.meta.url);
const ID = 'amazon-converse';

/** One of each family, by its own id and by profiles. */
const CONVERSE_MODELS = [
  'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'us.amazon.nova-2-lite-v1:0',
  'amazon.nova-pro-v1:0',
  'us.meta.llama4-maverick-17b-instruct-v1:0',
  'mistral.mistral-large-3-675b-instruct',
  'mistral.devstral-2-123b',
  'us.deepseek.r1-v1:0',
  'deepseek.v3.2',
  'openai.gpt-oss-120b-1:0',
  'global.openai.gpt-5.6-sol',
  'xai.grok-4.3',
  'global.zai.glm-5.3',
  'zai.glm-4.7',
  'global.moonshotai.kimi-k3',
  'moonshotai.kimi-k2.5',
  'minimax.minimax-m2.5',
  'qwen.qwen3-coder-480b-a35b-v1:0',
  'cohere.command-r-plus-v1:0',
  // Of no family that is known.
  'ai21.jamba-1-5-large-v1:0',
  'arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2c3d4e5f6',
] as const;

const BASE: TextCall = {
  operation: 'text',
  model: 'maker/model',
  stream: false,
  system: [],
  turns: [{ role: 'user', blocks: [{ kind: 'text', text: 'q' }] }],
  tools: [],
  sampling: {},
  usageWanted: { inStream: false, withCost: false },
  extras: {},
};

type CorpusRequest = {
  readonly name: string;
  readonly model: string;
  /** Undefined: refused, because leaving something out would change the meaning. */
  readonly body: JsonObject | undefined;
};

export function requestCorpus(): readonly CorpusRequest[] {
  const dialect = findTextDialect(ID);
  const offer = providerSet().offer('amazon-bedrock', ID);
  if (dialect === undefined || offer === undefined) throw new Error('the dialect is not offered');
  const quirks = dialect.quirks(offer.quirks ?? {});
  const calls = [...callsOfFields(), ...callsOfFixtures()];
  return CONVERSE_MODELS.flatMap((model) =>
    calls.map(([name, call]) => {
      try {
        const { body } = dialect.client.encodeCall(call, factsOf(model, quirks));
        return { name: `${name} to ${model}`, model, body };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        return { name: `${name} to ${model}`, model, body: undefined };
      }
    }),
  );
}

const factsOf = (upstreamModel: string, quirks: object): TargetFacts => ({
  upstreamModel,
  model: {
    maxOutputTokens: 8192,
    temperature: true,
    tools: !upstreamModel.includes('.r1-'),
    structuredOutput: true,
    thinking: upstreamModel.includes('claude')
      ? { kind: 'budget', canDisable: true, levels: [], budgetMin: 1024, budgetMax: 8000 }
      : { kind: 'effort', canDisable: true, levels: ['low', 'medium', 'high'] },
  },
  quirks,
  sealOwner: { dialect: ID, family: 'maker' },
});

function callsOfFields(): readonly (readonly [string, TextCall])[] {
  const samples = samplesFor(ID, { dialect: ID, family: 'maker' });
  // Members that no format defines are passed to hosts of the caller's own format; nobody calls in this one.
  const { extras: _, ...fields } = samples;
  return Object.entries(fields).map(([field, sample]) => [field, { ...BASE, ...sample.with }]);
}

/** Canonical fixtures, and those of callers' formats. */
function callsOfFixtures(): readonly (readonly [string, TextCall])[] {
  const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, FIXTURES), 'utf8'));
  const canonical = readdirSync(new URL('canonical', FIXTURES)).map(
    (name) => [name, (read(`canonical/${name}`) as { call: TextCall }).call] as const,
  );
  const head = { model: 'm', stream: false, header: (name: string) => HEADERS[name] };
  const wire = ['anthropic-messages', 'google-generate', 'openai-chat', 'openai-responses'].flatMap((id) =>
    readdirSync(new URL(`wire/${id}`, FIXTURES)).map((name) => {
      const body = read(`wire/${id}/${name}/request.json`) as JsonObject;
      const call = findDialect(id)?.server.understand(body, head).call();
      if (call === undefined) throw new Error(`${id} is not built`);
      return [`${id} ${name}`, call] as const;
    }),
  );
  return [...canonical, ...wire];
}
const HEADERS: Readonly<Record<string, string>> = { 'anthropic-version': '2023-06-01' };
