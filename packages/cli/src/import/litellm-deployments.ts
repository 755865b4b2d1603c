// A deployment of LiteLLM's `model_list`: which provider it is here, at which address, with which credential.

import { usualVariable } from '../init/credential-variables.ts';
import type { ImportDraft } from './draft.ts';
import type { Deployment } from './own-model.ts';
import { membersOf, numberOf, providerIdOf, type RawMembers, textOf, variableName } from './values.ts';

/** LiteLLM's prefixes of models, where they are not our ids. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure_ai: 'azure',
  bedrock: 'amazon-bedrock',
  bedrock_converse: 'amazon-bedrock',
  dashscope: 'alibaba',
  fireworks_ai: 'fireworks',
  gemini: 'google',
  hosted_vllm: 'vllm',
  llamafile: 'llama-cpp',
  moonshot: 'moonshotai',
  ollama_chat: 'ollama',
  text_completion_openai: 'openai',
  together_ai: 'together',
  vertex_ai: 'google-vertex',
};
/** The provider that LiteLLM takes for a model written without a prefix, where it is not OpenAI. */
const BARE_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^claude/, 'anthropic'],
  [/^gemini/, 'vertex_ai'],
  [/^command/, 'cohere'],
];
/** Providers that are servers of the operator's own: their address is always in the file. */
const OWN_SERVERS = ['ollama', 'vllm', 'llama-cpp'];
/** Stands in for the region that LiteLLM reads from the environment: the provider cannot be called without one. */
const USUAL_REGION = 'us-east-1';
export const REFERENCE = /^os\.environ\/(\w+)$/;
const AZURE_HOST = /^https:\/\/([\w-]+)\.openai\.azure\.com/;

/** Members of a deployment that are imported, or mean nothing here. */
const READ = new Set([
  ...['model', 'api_key', 'api_base', 'base_url', 'api_version', 'rpm', 'tpm', 'custom_llm_provider'],
  ...['aws_region_name', 'aws_access_key_id', 'aws_secret_access_key', 'aws_session_token'],
  ...['vertex_project', 'vertex_location', 'vertex_credentials'],
  ...['input_cost_per_token', 'output_cost_per_token', 'order', 'weight', 'base_model'],
  ...['input_cost_per_second', 'input_cost_per_character'],
]);
const INSTEAD: Readonly<Record<string, string>> = {
  max_budget: 'there are no budgets of a deployment: set one of an account, a member, a key or a tag',
  budget_duration: 'see max_budget',
  timeout: 'set timeouts in the policy of the model',
  stream_timeout: 'set timeouts.firstByteMs in the policy of the model',
  max_retries: 'retries.maxAttempts applies to all models',
  max_parallel_requests: 'limit requests at once per key or account: inFlight',
  tags: 'write a policy with scope.tag',
};

/** What LiteLLM calls operations that have no counterpart. */
const MODES: Readonly<Record<string, string>> = {
  realtime: 'there are no sessions of sound',
  batch: 'there are no batches',
  ocr: 'there is no OCR endpoint',
  search: 'there is no search endpoint',
  vector_store: 'there are no vector stores',
  video_generation: 'videos have models of the catalogue (docs: Videos)',
};
/** Names that say so, where the file does not. */
const NAMED_MODES: readonly (readonly [RegExp, string])[] = [
  [/whisper|transcribe/i, 'audio_transcription'],
  [/(^|[^a-z])tts([^a-z]|$)/i, 'audio_speech'],
  [/realtime/i, 'realtime'],
  [/rerank/i, 'rerank'],
  [/moderation/i, 'moderation'],
  [/embed/i, 'embedding'],
  [/dall-e|gpt-image|imagen|flux|stable-diffusion|sdxl/i, 'image_generation'],
];

const MAKES: Readonly<Record<string, Deployment['makes']>> = {
  embedding: 'embedding',
  image_generation: 'image',
  audio_transcription: 'transcription',
  audio_speech: 'speech',
  rerank: 'rerank',
  moderation: 'moderation',
};

const modeOf = (info: RawMembers, model: string): string =>
  textOf(info['mode']) ?? NAMED_MODES.find(([name]) => name.test(model))?.[1] ?? 'chat';

export function readDeployment(group: string, entry: RawMembers, draft: ImportDraft): Deployment | undefined {
  const params = membersOf(entry['litellm_params']);
  const info = membersOf(entry['model_info']);
  const full = textOf(params['model']) ?? '';
  const mode = modeOf(info, full);
  if (MODES[mode] !== undefined) {
    draft.note(`${group}: ${full} (${mode})`, `left out: ${MODES[mode]}`);
    return undefined;
  }
  for (const member of Object.keys(params).filter((one) => !READ.has(one)))
    draft.note(
      `${group}: litellm_params.${member}`,
      INSTEAD[member] ?? 'callers send it with the request, or it has no place here',
    );
  const base = textOf(info['base_model']) ?? textOf(params['base_model']);
  const makes = MAKES[mode];
  const priced = priceOf(params, makes);
  const common = {
    ...(base !== undefined && { baseModel: base.slice(base.lastIndexOf('/') + 1) }),
    ...(priced !== undefined && { price: priced }),
    ...(makes !== undefined && { makes }),
  };
  const place = placeOf(group, full, params, draft);
  return place && { ...place, ...common };
}

function placeOf(group: string, full: string, params: RawMembers, draft: ImportDraft): Deployment | undefined {
  const { named, model: upstreamModel } = modelNamed(full, textOf(params['custom_llm_provider']));
  const provider = PROVIDERS[named] ?? named.replaceAll('_', '-');
  const address = textOf(params['api_base']) ?? textOf(params['base_url']);
  if (provider === 'azure') return { upstreamModel, ...azure(group, params, address, draft) };
  if (provider === 'amazon-bedrock') {
    draft.note('credentials of Bedrock', 'put ACCESS_KEY_ID:SECRET_ACCESS_KEY into AWS_CREDENTIALS');
    const region = textOf(params['aws_region_name'])?.replace(REFERENCE, '') || undefined;
    if (region === undefined)
      draft.note(
        `${group}: aws_region_name`,
        `set variables.region of amazon-bedrock; ${USUAL_REGION} stands there now`,
      );
    return {
      // LiteLLM's own words for the two APIs of a model.
      upstreamModel: upstreamModel.replace(/^(?:converse|invoke)\//, ''),
      ...{ provider, credentials: ['AWS_CREDENTIALS'] },
      variables: { region: region ?? USUAL_REGION },
    };
  }
  if (provider === 'google-vertex') {
    draft.note('credentials of Vertex AI', 'put the JSON of the service account into GOOGLE_SERVICE_ACCOUNT_JSON');
    const region = textOf(params['vertex_location'])?.replace(REFERENCE, '');
    return {
      ...{ upstreamModel, provider, credentials: ['GOOGLE_SERVICE_ACCOUNT_JSON'] },
      variables: region ? { region } : {},
    };
  }
  if (OWN_SERVERS.includes(provider)) {
    const base = address?.replace(/\/+(?:v1\/?)?$/, '');
    const credentials = credentialOf(group, provider, params, draft, true);
    return { upstreamModel, provider, credentials, ...(base && { baseUrl: base }) };
  }
  if (address !== undefined && !address.includes('os.environ/')) {
    const own = providerIdOf(address);
    return {
      upstreamModel,
      provider: own,
      dialect: provider === 'anthropic' ? 'anthropic-messages' : 'openai-chat',
      baseUrl: address.replace(/\/+$/, ''),
      credentials: credentialOf(group, own, params, draft, true),
    };
  }
  if (!draft.isShipped(provider)) {
    draft.note(
      `${group}: ${full}`,
      `there is no provider "${named}": add one with dialect and baseUrl, or use OpenRouter`,
    );
    return undefined;
  }
  return { upstreamModel, provider, credentials: credentialOf(group, provider, params, draft, false) };
}

/** Next to `custom_llm_provider` a slash belongs to the model, as in `meta-llama/Llama-3.1-8B`, unless that provider stands before it. */
function modelNamed(full: string, custom: string | undefined): { readonly named: string; readonly model: string } {
  const at = full.indexOf('/');
  const prefix = full.slice(0, Math.max(0, at));
  const named = custom ?? (prefix || (BARE_NAMES.find(([name]) => name.test(full))?.[1] ?? 'openai'));
  return { named, model: prefix === named ? full.slice(at + 1) : full };
}

/** The first resource is the shipped provider; each further one is a provider of its own, since a provider has one address. */
function azure(
  group: string,
  params: RawMembers,
  address: string | undefined,
  draft: ImportDraft,
): Omit<Deployment, 'upstreamModel'> {
  const resource = AZURE_HOST.exec(address ?? '')?.[1];
  if (resource === undefined)
    draft.note(`${group}: api_base ${address ?? ''}`, 'set variables.resource of azure to the name of your resource');
  if (textOf(params['api_version']) !== undefined)
    draft.note(`${group}: api_version`, 'the v1 API of Azure takes none; use azure-deployments for older resources');
  const credentials = credentialOf(group, 'azure', params, draft, false);
  const first = draft.providers.get('azure')?.variables['resource'];
  if (resource !== undefined && first !== undefined && first !== resource)
    return {
      ...{ provider: 'azure', sameAs: 'azure', credentials, dialect: 'openai-chat', auth: 'api-key' },
      baseUrl: `https://${resource}.openai.azure.com/openai/v1`,
    };
  return { provider: 'azure', credentials, variables: { resource: resource ?? 'my-resource' } };
}

/** The environment variable the file names; a key written in the file itself is not copied. */
function credentialOf(
  group: string,
  provider: string,
  params: RawMembers,
  draft: ImportDraft,
  isOptional: boolean,
): readonly string[] {
  const given = textOf(params['api_key']);
  const referenced = REFERENCE.exec(given ?? '')?.[1];
  if (referenced !== undefined) return [referenced];
  if (given === undefined) return isOptional ? [] : [usualVariable(provider)];
  const variable = draft.isShipped(provider)
    ? variableName(usualVariable(provider), group)
    : variableName(provider, 'API_KEY');
  draft.note(`${group}: api_key`, `it is written in the file and was not copied: put it into ${variable}`);
  return [variable];
}

/** Of models of sound, in LiteLLM's words: what is heard costs by the second, what is spoken by the character. */
const SOUND_PRICES = {
  transcription: ['input_cost_per_second', 'perSecond'],
  speech: ['input_cost_per_character', 'perCount'],
} as const;

/** LiteLLM states US dollars per token, Trivium per million tokens. */
function priceOf(params: RawMembers, makes: Deployment['makes']): Deployment['price'] {
  if (makes === 'transcription' || makes === 'speech') {
    const [member, unit] = SOUND_PRICES[makes];
    const usd = numberOf(params[member]);
    return usd === undefined ? undefined : { audio: { value: usd.toFixed(12).replace(/\.?0+$/, ''), unit } };
  }
  const [prompt, completion] = [numberOf(params['input_cost_per_token']), numberOf(params['output_cost_per_token'])];
  if (prompt === undefined || completion === undefined) return undefined;
  const perMillion = (usd: number) =>
    ({ value: String(Number((usd * 1_000_000).toFixed(6))), unit: 'perMTokens' }) as const;
  return { prompt: perMillion(prompt), completion: perMillion(completion) };
}
