// A configuration of Portkey's gateway: a strategy over targets, which may have targets of their own.

import { usualVariable } from '../init/credential-variables.ts';
import type { Deployment, ImportDraft } from './draft.ts';
import { listOf, membersOf, numberOf, providerIdOf, type RawMembers, textOf } from './values.ts';

const PROVIDERS: Readonly<Record<string, string>> = {
  'azure-openai': 'azure',
  bedrock: 'amazon-bedrock',
  dashscope: 'alibaba',
  'fireworks-ai': 'fireworks',
  'mistral-ai': 'mistral',
  moonshot: 'moonshotai',
  'together-ai': 'together',
  'vertex-ai': 'google-vertex',
  'x-ai': 'xai',
  zhipu: 'zai',
};
const READ = new Set([
  ...[
    'strategy',
    'targets',
    'provider',
    'api_key',
    'override_params',
    'weight',
    'retry',
    'request_timeout',
    'custom_host',
    'name',
  ],
]);
const INSTEAD: Readonly<Record<string, string>> = {
  cache: 'there is no cache of answers; provider-side prompt caching is kept',
  virtual_key: 'its credential is on Portkey’s servers: put it into the variable that the file names',
  before_request_hooks: 'there are no guardrails',
  after_request_hooks: 'there are no guardrails',
  input_guardrails: 'there are no guardrails',
  output_guardrails: 'there are no guardrails',
};
const DEFAULT_NAME = 'portkey';

export function fromPortkey(data: unknown, draft: ImportDraft): void {
  const config = membersOf(data);
  const mode = textOf(membersOf(config['strategy'])['mode']);
  const targets = listOf(config['targets']).map(membersOf);
  const weighted = (
    mode === 'loadbalance' ? [...targets].sort((a, b) => weightOf(b) - weightOf(a)) : targets
  ) as RawMembers[];
  if (mode === 'loadbalance')
    draft.note(
      'strategy loadbalance',
      'targets are in the order of their weights; callers send x-trivium-strategy: round_robin to share them',
    );
  if (mode === 'conditional') draft.note('strategy conditional', 'callers choose the model or send x-trivium-models');
  const deployments = (targets.length === 0 ? [config] : weighted).flatMap((target, at) =>
    readTarget(target, `targets[${at}]`, draft),
  );
  const named = deployments.filter(({ upstreamModel }) => upstreamModel !== '');
  for (const deployment of deployments.filter(({ upstreamModel }) => upstreamModel === ''))
    draft.addProvider(deployment);
  if (named.length > 0) draft.addModel(textOf(config['name']) ?? DEFAULT_NAME, named);
  else draft.note('targets without override_params.model', 'callers write the model they want');
  const attempts = numberOf(membersOf(config['retry'])['attempts']);
  if (attempts !== undefined) draft.maxAttempts = Math.min(3, attempts + 1);
  const timeoutMs = numberOf(config['request_timeout']);
  if (timeoutMs !== undefined) draft.totalMs = timeoutMs;
  for (const member of Object.keys(config).filter((one) => !READ.has(one)))
    draft.note(member, INSTEAD[member] ?? 'it has no place here');
}

const weightOf = (target: RawMembers): number => numberOf(target['weight']) ?? 1;

function readTarget(target: RawMembers, path: string, draft: ImportDraft): readonly Deployment[] {
  const inner = listOf(target['targets']).map(membersOf);
  if (inner.length > 0) return inner.flatMap((one, at) => readTarget(one, `${path}.targets[${at}]`, draft));
  const named = textOf(target['provider'])?.replace(/^@/, '');
  const params = membersOf(target['override_params']);
  for (const member of Object.keys(target).filter((one) => !READ.has(one)))
    draft.note(`${path}.${member}`, INSTEAD[member] ?? 'it has no place here');
  for (const member of Object.keys(params).filter((one) => one !== 'model'))
    draft.note(`${path}.override_params.${member}`, 'callers send it with the request');
  if (named === undefined) {
    draft.note(path, 'it names no provider: its virtual key does, on Portkey’s servers. Add the provider by hand');
    return [];
  }
  const provider = PROVIDERS[named] ?? named;
  const model = { upstreamModel: textOf(params['model']) ?? '' };
  const host = textOf(target['custom_host']);
  if (host !== undefined) {
    const own: Deployment = {
      ...model,
      provider: providerIdOf(host),
      dialect: 'openai-chat',
      baseUrl: host.replace(/\/+$/, ''),
      credentials: [],
    };
    return draft.isAccepted(own, `${path}.custom_host`) ? [own] : [];
  }
  if (!draft.isShipped(provider)) {
    draft.note(`${path}: ${named}`, 'there is no such provider: add one with dialect and baseUrl');
    return [];
  }
  if (textOf(target['api_key']) !== undefined)
    draft.note(`${path}.api_key`, `keys are not copied: put it into ${usualVariable(provider)}`);
  const variables = provider === 'azure' ? { variables: { resource: 'my-resource' } } : {};
  if (provider === 'azure') draft.note(`${path}: azure`, 'set variables.resource to the name of your resource');
  return [{ ...model, provider, credentials: [usualVariable(provider)], ...variables }];
}
