// A target of a Portkey configuration: which provider it is here, and which model it calls.

import { usualVariable } from '../init/credential-variables.ts';
import type { ImportDraft } from './draft.ts';
import type { Deployment } from './own-model.ts';
import { membersOf, providerIdOf, type RawMembers, textOf } from './values.ts';

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
  ...['strategy', 'targets', 'provider', 'api_key', 'override_params', 'weight', 'retry', 'custom_host', 'name'],
  ...['resource_name', 'deployment_id', 'aws_region', 'vertex_region'],
]);
const CREDENTIALS = 'credentials are not copied: put them into the variable that the file names';
const GUARDRAILS = 'there are no guardrails';
const INSTEAD: Readonly<Record<string, string>> = {
  cache: 'there is no cache of answers; provider-side prompt caching is kept',
  virtual_key: 'its credential is on Portkey’s servers: put it into the variable that the file names',
  request_timeout: 'set timeouts in the policy of the model',
  api_version: 'the v1 API of Azure takes none; use azure-deployments for older resources',
  aws_access_key_id: CREDENTIALS,
  aws_secret_access_key: CREDENTIALS,
  vertex_project_id: CREDENTIALS,
  vertex_service_account_json: CREDENTIALS,
  before_request_hooks: GUARDRAILS,
  after_request_hooks: GUARDRAILS,
  input_guardrails: GUARDRAILS,
  output_guardrails: GUARDRAILS,
  cb_config: 'providers that fail are taken out of service by a circuit breaker',
};

const INNER = new Set(['strategy', 'targets', 'retry']);

/** Portkey reads both `onStatusCodes` and `on_status_codes`. */
export function snakeCased(value: unknown): RawMembers {
  const cased = (name: string, one: unknown): unknown => {
    if (!INNER.has(name)) return one;
    return Array.isArray(one) ? one.map(snakeCased) : snakeCased(one);
  };
  return Object.fromEntries(
    Object.entries(membersOf(value)).map(([name, one]) => {
      const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [snake, cased(snake, one)];
    }),
  );
}

/** `allowed`: members that mean something at this place beside those of a target. */
export function noteUnknown(node: RawMembers, path: string, draft: ImportDraft, allowed: readonly string[] = []): void {
  for (const member of Object.keys(node).filter((one) => !READ.has(one) && !allowed.includes(one)))
    draft.note(`${path}${member}`, INSTEAD[member] ?? 'it has no place here');
}

/** A slug of the model catalogue is chosen by its operator, often after its provider: `openai-prod`. */
function providerOf(named: string, path: string, draft: ImportDraft): string | undefined {
  const slug = named.replace(/^@/, '');
  const words = slug.split('-');
  for (let count = words.length; count > 0; count--) {
    const name = words.slice(0, count).join('-');
    const provider = PROVIDERS[name] ?? name;
    if (!draft.isShipped(provider)) continue;
    if (count < words.length) draft.note(`${path}: ${named}`, `taken for ${provider}, with the usual address`);
    return provider;
  }
  draft.note(`${path}: ${named}`, 'there is no such provider: add one with dialect and baseUrl');
  return undefined;
}

export function readTarget(target: RawMembers, path: string, draft: ImportDraft): Deployment | undefined {
  const params = membersOf(target['override_params']);
  noteUnknown(target, `${path}.`, draft);
  for (const member of Object.keys(params).filter((one) => one !== 'model'))
    draft.note(`${path}.override_params.${member}`, 'callers send it with the request');
  const [, slug, bare] = /^(@[^/]+)\/(.+)$/.exec(textOf(params['model']) ?? '') ?? [];
  const asked = bare ?? textOf(params['model']) ?? '';
  const named = textOf(target['provider']) ?? slug;
  if (named === undefined) {
    draft.note(path, 'it names no provider: its virtual key does, on Portkey’s servers. Add the provider by hand');
    return undefined;
  }
  const host = textOf(target['custom_host']);
  if (host !== undefined) {
    const own: Deployment = {
      ...{ upstreamModel: asked, provider: providerIdOf(host), dialect: 'openai-chat', credentials: [] },
      baseUrl: host.replace(/\/+$/, ''),
    };
    return draft.isAccepted(own, `${path}.custom_host`) ? own : undefined;
  }
  const provider = providerOf(named, path, draft);
  if (provider === undefined) return undefined;
  if (textOf(target['api_key']) !== undefined)
    draft.note(`${path}.api_key`, `keys are not copied: put it into ${usualVariable(provider)}`);
  const deployed = textOf(target['deployment_id']);
  return {
    ...{ provider, upstreamModel: deployed ?? asked, credentials: [usualVariable(provider)] },
    ...(deployed !== undefined && asked !== '' && { baseModel: asked }),
    ...variablesOf(provider, target, path, draft),
  };
}

function variablesOf(
  provider: string,
  target: RawMembers,
  path: string,
  draft: ImportDraft,
): Pick<Deployment, 'variables'> {
  if (provider === 'azure') {
    const resource = textOf(target['resource_name']);
    if (resource === undefined) draft.note(`${path}: azure`, 'set variables.resource to the name of your resource');
    return { variables: { resource: resource ?? 'my-resource' } };
  }
  const region = textOf(target['aws_region']) ?? textOf(target['vertex_region']);
  if (provider === 'amazon-bedrock' && region === undefined)
    draft.note(`${path}: aws_region`, 'set variables.region of amazon-bedrock; us-east-1 stands there now');
  if (provider === 'amazon-bedrock') return { variables: { region: region ?? 'us-east-1' } };
  return region === undefined ? {} : { variables: { region } };
}
