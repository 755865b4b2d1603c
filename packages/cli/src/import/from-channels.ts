// The channel lists of one-api and new-api, as their API gives them or as rows of their SQLite file.

import { usualVariable } from '../init/credential-variables.ts';
import type { ImportDraft } from './draft.ts';
import type { Deployment } from './own-model.ts';
import {
  isMembers,
  listOf,
  membersOf,
  numberOf,
  providerIdOf,
  type RawMembers,
  textOf,
  variableName,
} from './values.ts';

type Types = Readonly<Record<number, string>>;

/** Numbers of channel types that mean the same in both. */
const COMMON: Types = {
  1: 'openai',
  3: 'azure',
  8: 'compatible',
  14: 'anthropic',
  17: 'alibaba',
  20: 'openrouter',
  23: 'tencent',
  24: 'google',
  25: 'moonshotai',
};
export const ONE_API: Types = {
  ...COMMON,
  16: 'zai',
  27: 'minimax',
  28: 'mistral',
  29: 'groq',
  30: 'ollama',
  36: 'deepseek',
  39: 'together',
  40: 'volcengine',
  44: 'siliconflow',
  45: 'xai',
  50: 'compatible',
};
export const NEW_API: Types = {
  ...COMMON,
  4: 'ollama',
  16: 'zai',
  26: 'zai',
  35: 'minimax',
  40: 'siliconflow',
  42: 'mistral',
  43: 'deepseek',
  45: 'volcengine',
  48: 'xai',
};
/** Id for channels that speak chat completions at a custom base URL. */
const COMPATIBLE = 'compatible';
const ENABLED = 1;

interface Channel {
  readonly name: string;
  readonly priority: number;
  readonly weight: number;
  readonly deployments: readonly (Deployment & { readonly name: string })[];
}

export function fromChannels(data: unknown, types: Types, draft: ImportDraft): void {
  const outer = membersOf(data)['data'] ?? data;
  const rows = isMembers(outer) ? listOf(outer['items']) : listOf(outer);
  const channels = rows.map(membersOf).flatMap((row) => readChannel(row, types, draft));
  channels.sort((a, b) => b.priority - a.priority || b.weight - a.weight);
  const models = new Map<string, Deployment[]>();
  for (const { name, ...deployment } of channels.flatMap(({ deployments }) => deployments))
    models.set(name, [...(models.get(name) ?? []), deployment]);
  for (const [name, deployments] of models) draft.addModel(name, deployments);
  draft.note('users, tokens and quotas', 'make accounts, keys and budgets with the command line');
  draft.note('groups and their ratios', 'set discounts and markups per account (docs: Prices and cost)');
}

function readChannel(row: RawMembers, types: Types, draft: ImportDraft): readonly Channel[] {
  const type = numberOf(row['type']) ?? 0;
  const name = textOf(row['name']) ?? `channel ${row['id']}`;
  const label = `channel "${name}"`;
  if (numberOf(row['status']) !== ENABLED) {
    draft.note(label, 'it is disabled and was left out');
    return [];
  }
  const address = textOf(row['base_url']);
  const kind = types[type];
  const shipped = kind === COMPATIBLE ? undefined : kind;
  const isOwn =
    (kind === COMPATIBLE || kind === 'openai') &&
    address !== undefined &&
    !address.startsWith('https://api.openai.com');
  if (shipped === undefined && !isOwn) {
    draft.note(label, `no provider for channels of type ${type}: add one with dialect and baseUrl`);
    return [];
  }
  const provider = isOwn ? providerIdOf(address) : (shipped ?? '');
  const keys = (textOf(row['key']) ?? '').split('\n').filter((key) => key.trim() !== '');
  const credentials = keys.map((_key, at) =>
    variableName(isOwn ? `${provider}_API_KEY` : usualVariable(provider), name, ...(at === 0 ? [] : [String(at + 1)])),
  );
  if (credentials.length > 0) draft.note(`${label}: key`, `keys are not copied: put it into ${credentials.join(', ')}`);
  if (shipped === 'azure' && !isOwn) draft.note(label, 'set variables.resource of azure to the name of your resource');
  if (address !== undefined && !isOwn && !['azure', 'ollama', 'openai'].includes(provider))
    draft.note(
      `${label}: base_url ${address}`,
      `it calls ${provider} at its own address: set baseUrl if that is another`,
    );
  const place = {
    provider,
    credentials,
    ...(shipped === 'azure' && { variables: { resource: 'my-resource' } }),
    ...(isOwn && { dialect: 'openai-chat', baseUrl: `${address.replace(/\/+(?:v1\/?)?$/, '')}/v1` }),
    ...(shipped === 'ollama' && address !== undefined && { baseUrl: address.replace(/\/+$/, '') }),
  };
  if (!draft.isAccepted({ ...place, upstreamModel: '' }, `${label}: base_url`)) return [];
  const mapping = readMapping(row['model_mapping']);
  const names = (textOf(row['models']) ?? '')
    .split(',')
    .map((model) => model.trim())
    .filter((model) => model !== '');
  if (Object.keys(membersOf(parsed(row['param_override']))).length > 0)
    draft.note(`${label}: param_override`, 'callers send these parameters with the request');
  return [
    {
      name,
      priority: numberOf(row['priority']) ?? 0,
      weight: numberOf(row['weight']) ?? 0,
      deployments: names.map((model) => ({ ...place, name: model, upstreamModel: mapping[model] ?? model })),
    },
  ];
}

const parsed = (value: unknown): unknown => {
  if (typeof value !== 'string' || value.trim() === '') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
};

const readMapping = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(membersOf(parsed(value))).flatMap(([from, to]) => (typeof to === 'string' ? [[from, to]] : [])),
  );
