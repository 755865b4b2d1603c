// LiteLLM's `config.yaml`: model_list, router_settings, litellm_settings and general_settings.

import { usualVariable } from '../init/credential-variables.ts';
import type { Deployment, ImportDraft } from './draft.ts';
import { listOf, membersOf, numberOf, providerIdOf, type RawMembers, textOf, variableName } from './values.ts';

/** LiteLLM's prefixes of models, where they are not our ids. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure_ai: 'azure',
  bedrock: 'amazon-bedrock',
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
const REFERENCE = /^os\.environ\/(\w+)$/;
const AZURE_HOST = /^https:\/\/([\w-]+)\.openai\.azure\.com/;

/** Members of a deployment that are imported, or mean nothing here. */
const READ = new Set([
  ...['model', 'api_key', 'api_base', 'base_url', 'api_version', 'rpm', 'tpm', 'custom_llm_provider'],
  ...['aws_region_name', 'aws_access_key_id', 'aws_secret_access_key', 'aws_session_token'],
  ...['vertex_project', 'vertex_location', 'vertex_credentials'],
  ...['input_cost_per_token', 'output_cost_per_token', 'order', 'weight'],
]);

/** Settings that are imported, and those that need no counterpart. */
const SETTINGS_READ = new Set([
  ...[
    'router_settings.fallbacks',
    'router_settings.model_group_alias',
    'router_settings.num_retries',
    'router_settings.timeout',
  ],
  ...[
    'router_settings.redis_host',
    'router_settings.redis_port',
    'router_settings.redis_password',
    'router_settings.redis_url',
  ],
  ...[
    'litellm_settings.fallbacks',
    'litellm_settings.num_retries',
    'litellm_settings.request_timeout',
    'litellm_settings.drop_params',
  ],
  ...[
    'general_settings.master_key',
    'general_settings.database_url',
    'litellm_settings.set_verbose',
    'litellm_settings.json_logs',
  ],
]);

/** What to do instead of a setting that has no counterpart. */
const INSTEAD: Readonly<Record<string, string>> = {
  'router_settings.routing_strategy': 'callers send x-trivium-strategy or x-trivium-factor (docs: Routing preferences)',
  'litellm_settings.cache': 'there is no cache of answers; provider-side prompt caching is kept',
  'litellm_settings.cache_params': 'there is no cache of answers',
  'litellm_settings.callbacks': 'use Prometheus metrics, the log, or webhooks',
  'litellm_settings.success_callback': 'use Prometheus metrics, the log, or webhooks',
  'litellm_settings.failure_callback': 'use Prometheus metrics, the log, or webhooks',
  'litellm_settings.context_window_fallbacks':
    'list both models in x-trivium-models: long prompts go to the larger one',
  'litellm_settings.max_budget': 'trivium budgets set <account> <usd> --per month',
  'general_settings.alerting': 'load deploy/prometheus/alerts.yml into Prometheus',
  guardrails: 'there are no guardrails; put them before or behind the gateway',
  mcp_servers: 'there is no MCP gateway',
  environment_variables: 'set them in the environment of the process',
};

export function fromLiteLlm(data: unknown, draft: ImportDraft): void {
  const file = membersOf(data);
  const groups = new Map<string, Deployment[]>();
  const limits = new Map<string, { requests: number; tokens: number }>();
  const named = new Set<string>();
  for (const [at, entry] of listOf(file['model_list']).entries()) {
    const { model_name: name, litellm_params: given } = membersOf(entry);
    const params = membersOf(given);
    const group = textOf(name);
    if (group === undefined) {
      draft.note(`model_list[${at}]`, 'it has no model_name');
      continue;
    }
    named.add(group);
    const deployment = readDeployment(group, params, draft);
    const address = `${group}: address of ${textOf(params['model']) ?? ''}`;
    if (deployment === undefined || !draft.isAccepted(deployment, address)) continue;
    groups.set(group, [...(groups.get(group) ?? []), deployment]);
    const sum = limits.get(group) ?? { requests: 0, tokens: 0 };
    limits.set(group, {
      requests: sum.requests + (numberOf(params['rpm']) ?? 0),
      tokens: sum.tokens + (numberOf(params['tpm']) ?? 0),
    });
  }
  for (const [name, deployments] of groups) {
    if (name === '*') {
      draft.note(
        'model_name "*"',
        'every model of the catalogue is there already; open a provider with a model such as openai/*',
      );
      for (const deployment of deployments) draft.addProvider(deployment);
      continue;
    }
    const id = draft.addModel(name, deployments);
    const { requests = 0, tokens = 0 } = limits.get(name) ?? {};
    if (requests > 0 || tokens > 0)
      draft.limits.set(id, {
        ...(requests > 0 && { requestsPerMinute: requests }),
        ...(tokens > 0 && { tokensPerMinute: tokens }),
      });
  }
  readSettings(file, new Set([...named].filter((name) => !groups.has(name))), draft);
}

function readDeployment(group: string, params: RawMembers, draft: ImportDraft): Deployment | undefined {
  const full = textOf(params['model']) ?? '';
  const { named, model } = modelNamed(full, textOf(params['custom_llm_provider']));
  const provider = PROVIDERS[named] ?? named.replaceAll('_', '-');
  for (const member of Object.keys(params).filter((one) => !READ.has(one)))
    draft.note(`${group}: litellm_params.${member}`, 'callers send it with the request, or it has no place here');
  const address = textOf(params['api_base']) ?? textOf(params['base_url']);
  const priced = priceOf(params);
  const common = { upstreamModel: model, ...(priced !== undefined && { price: priced }) };
  if (provider === 'azure') return { ...common, ...azure(group, params, address, draft) };
  if (provider === 'amazon-bedrock') {
    draft.note('credentials of Bedrock', 'put ACCESS_KEY_ID:SECRET_ACCESS_KEY into AWS_CREDENTIALS');
    const region = textOf(params['aws_region_name'])?.replace(REFERENCE, '') || undefined;
    if (region === undefined)
      draft.note(
        `${group}: aws_region_name`,
        `set variables.region of amazon-bedrock; ${USUAL_REGION} stands there now`,
      );
    return { ...common, provider, credentials: ['AWS_CREDENTIALS'], variables: { region: region ?? USUAL_REGION } };
  }
  if (provider === 'google-vertex') {
    draft.note('credentials of Vertex AI', 'put the JSON of the service account into GOOGLE_SERVICE_ACCOUNT_JSON');
    const region = textOf(params['vertex_location'])?.replace(REFERENCE, '');
    return { ...common, provider, credentials: ['GOOGLE_SERVICE_ACCOUNT_JSON'], variables: region ? { region } : {} };
  }
  if (OWN_SERVERS.includes(provider)) {
    const base = address?.replace(/\/+(?:v1\/?)?$/, '');
    return {
      ...common,
      provider,
      credentials: credentialOf(group, provider, params, draft, true),
      ...(base && { baseUrl: base }),
    };
  }
  if (address !== undefined && !address.includes('os.environ/')) {
    const own = providerIdOf(address);
    return {
      ...common,
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
  return { ...common, provider, credentials: credentialOf(group, provider, params, draft, false) };
}

/** Next to `custom_llm_provider` a slash belongs to the model, as in `meta-llama/Llama-3.1-8B`, unless that provider stands before it. */
function modelNamed(full: string, custom: string | undefined): { readonly named: string; readonly model: string } {
  const at = full.indexOf('/');
  const prefix = full.slice(0, Math.max(0, at));
  const named = custom ?? (prefix || (BARE_NAMES.find(([name]) => name.test(full))?.[1] ?? 'openai'));
  return { named, model: prefix === named ? full.slice(at + 1) : full };
}

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

/** LiteLLM states US dollars per token, Trivium per million tokens. */
function priceOf(params: RawMembers): Deployment['price'] {
  const [prompt, completion] = [numberOf(params['input_cost_per_token']), numberOf(params['output_cost_per_token'])];
  if (prompt === undefined || completion === undefined) return undefined;
  const perMillion = (usd: number): string => String(Number((usd * 1_000_000).toFixed(6)));
  return { prompt: perMillion(prompt), completion: perMillion(completion) };
}

/** `leftOut`: names of models without a deployment that could be imported. */
function readSettings(file: RawMembers, leftOut: ReadonlySet<string>, draft: ImportDraft): void {
  const section = (name: string): RawMembers => membersOf(file[name]);
  const [router, litellm, general] = [
    section('router_settings'),
    section('litellm_settings'),
    section('general_settings'),
  ];
  for (const entry of [...listOf(router['fallbacks']), ...listOf(litellm['fallbacks'])])
    for (const [model, others] of Object.entries(membersOf(entry)))
      draft.note(
        `fallbacks of ${model}`,
        `callers send x-trivium-models: ${[model, ...listOf(others)].join(', ')}, or the member models`,
      );
  for (const [alias, target] of Object.entries(membersOf(router['model_group_alias']))) {
    const id = textOf(target) ?? textOf(membersOf(target)['model']);
    if (id !== undefined && leftOut.has(id))
      draft.note(`router_settings.model_group_alias.${alias}`, `its model ${id} was left out`);
    else if (id !== undefined) draft.aliases.set(alias, draft.aliases.get(id) ?? id);
  }
  const retries = numberOf(litellm['num_retries']) ?? numberOf(router['num_retries']);
  if (retries !== undefined) draft.maxAttempts = Math.min(3, retries + 1);
  const seconds = numberOf(litellm['request_timeout']) ?? numberOf(router['timeout']);
  if (seconds !== undefined) draft.totalMs = Math.round(seconds * 1000);
  if (general['database_url'] !== undefined)
    draft.databaseVariable = REFERENCE.exec(textOf(general['database_url']) ?? '')?.[1] ?? 'DATABASE_URL';
  if (general['database_url'] !== undefined)
    draft.note('the tables of LiteLLM', 'give Trivium a database of its own; make accounts, keys and budgets anew');
  if (['redis_host', 'redis_url'].some((name) => router[name] !== undefined)) draft.redisVariable = 'REDIS_URL';
  if (general['master_key'] !== undefined)
    draft.note(
      'general_settings.master_key',
      'the new file has one key, from TRIVIUM_KEY; trivium keys create makes others',
    );
  if (litellm['drop_params'] !== true)
    draft.note(
      'drop_params is not set',
      'Trivium drops and reports such parameters; `strict: true` on a key refuses them as LiteLLM did',
    );
  for (const [name, value] of Object.entries(file)) {
    if (name === 'model_list') continue;
    const members = ['router_settings', 'litellm_settings', 'general_settings'].includes(name)
      ? Object.keys(membersOf(value)).map((member) => `${name}.${member}`)
      : [name];
    for (const member of members.filter((one) => !SETTINGS_READ.has(one)))
      draft.note(member, INSTEAD[member] ?? 'it has no place here');
  }
}
