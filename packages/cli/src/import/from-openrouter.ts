// What callers of OpenRouter send: a list of model ids and their `provider` preferences.

import { usualVariable } from '../init/credential-variables.ts';
import type { ImportCatalogue } from './catalogue.ts';
import type { ImportDraft } from './draft.ts';
import { listOf, membersOf, textOf } from './values.ts';

const PROVIDERS: Readonly<Record<string, string>> = {
  'google-ai-studio': 'google',
  'moonshot-ai': 'moonshotai',
  'x-ai': 'xai',
  'z-ai': 'zai',
};
/** Suffixes of models, and what callers send instead. */
const VARIANTS: Readonly<Record<string, string>> = {
  free: 'no provider is free here; leave the suffix out',
  nitro: 'send x-trivium-factor: speed',
  floor: 'send x-trivium-factor: cost',
  online: 'ask for the web search of the provider',
  thinking: 'ask for reasoning in the request',
  exacto: 'leave the suffix out',
};
/** Preferences that callers may go on sending as they are. */
const UNDERSTOOD = new Set([
  'order',
  'only',
  'ignore',
  'allow_fallbacks',
  'sort',
  'max_price',
  'require_parameters',
  'data_collection',
  'zdr',
]);

const idOf = (name: string): string => {
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return PROVIDERS[slug] ?? slug;
};

export function fromOpenRouter(data: unknown, draft: ImportDraft, catalogue: ImportCatalogue): void {
  const file = membersOf(data);
  const preferences = membersOf(file['provider']);
  const named = (member: string): readonly string[] =>
    listOf(preferences[member]).flatMap((one) => (textOf(one) ? [idOf(String(one))] : []));
  const [wanted, ignored] = [[...named('only'), ...named('order')], named('ignore')];
  for (const provider of wanted.filter((id) => !catalogue.isShipped(id)))
    draft.note(`provider "${provider}"`, 'it is not shipped: add it with dialect and baseUrl, or leave it out');
  const use = (provider: string): void => {
    if (provider === 'azure') draft.note('azure', 'set variables.resource to the name of your resource');
    const variables = provider === 'azure' ? { variables: { resource: 'my-resource' } } : {};
    draft.addProvider({ provider, upstreamModel: '', credentials: [usualVariable(provider)], ...variables });
  };
  for (const written of [...listOf(file['models']), ...(file['model'] === undefined ? [] : [file['model']])].map(
    textOf,
  )) {
    if (written === undefined) continue;
    const [name = '', variant] = written.split(':');
    if (variant !== undefined) draft.note(written, VARIANTS[variant] ?? 'leave the suffix out');
    if (name === 'openrouter/auto') {
      draft.note(name, 'list models in auto.models, and callers ask for trivium/auto');
      continue;
    }
    const id = catalogue.idOf(name);
    if (id === undefined) {
      draft.note(name, 'the catalogue does not have it: it is still called at OpenRouter, without a price');
      draft.addModel(name, [
        { provider: 'openrouter', upstreamModel: name, credentials: [usualVariable('openrouter')] },
      ]);
      continue;
    }
    if (id !== name) draft.note(name, `it is ${id} here; the name goes on working`);
    const serving = catalogue.providersOf(id).filter((provider) => !ignored.includes(provider));
    const chosen = serving.filter((provider) => wanted.includes(provider));
    for (const provider of chosen.length > 0 ? chosen : serving.slice(0, 1)) use(provider);
  }
  if (preferences['data_collection'] === 'deny' || preferences['zdr'] === true)
    draft.note(
      'data_collection and zdr',
      'say of each provider what your contract says: trains: false, retentionDays: 0',
    );
  for (const member of Object.keys(preferences).filter((one) => !UNDERSTOOD.has(one)))
    draft.note(`provider.${member}`, 'requests with it are answered, and it is reported as a loss');
  for (const member of Object.keys(file).filter((one) => !['models', 'model', 'provider'].includes(one)))
    draft.note(member, 'it has no place here');
}
