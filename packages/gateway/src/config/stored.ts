// Credentials, models, aliases, prices, discounts and markups of the database besides those of the file. One precedence: the file wins;
// the database applies where the file has none. A host the file does not name is added if it is a shipped one that needs nothing else.

import type { Static } from 'typebox';
import type { PriceChange } from '../models/catalogue/price-change.ts';
import type { ChangeData } from '../models/catalogue/schema.ts';
import { readIdentity } from '../models/providers/signers/identities.ts';
import { isStoreReference } from '../models/providers/signers/store-references.ts';
import type { DatedTerms } from '../money/prices/account-terms.ts';
import type { Config, ProviderSettings } from './config.ts';
import { fitsSchema } from './reading/check-form.ts';
import { fillDefaults } from './reading/fill-defaults.ts';
import { pathText, type Report } from './reading/problem.ts';
import { buildCatalogue, modelsSchema } from './sections/models.ts';
import type { Building } from './sections/parts.ts';
import { buildProviders } from './sections/providers.ts';

export interface WithCredentials {
  readonly config: Config;
  /** Hosts whose stored credential is used. */
  readonly used: ReadonlySet<string>;
  /** Why a stored credential is ignored, other than because the file has one. Never contains the credential. */
  readonly problems: readonly string[];
}

const withCredential = (settings: ProviderSettings, credential: string): ProviderSettings => ({
  ...settings,
  credential,
  // Without a credential in the file an own host is taken for one that needs none.
  ...(settings.own?.auth === 'none' && { own: { ...settings.own, auth: 'bearer' } }),
});

const checked = (id: string, credential: string, problems: string[]): ProviderSettings | undefined => {
  const before = problems.length;
  const building: Building = {
    offline: false,
    report: (path, message) => void problems.push(`${pathText(path)} ${message}`),
    notice: () => undefined,
    // A stored credential is used literally, even if it looks like a reference.
    secret: (text) => text,
    reference: (text) => text,
  };
  const settings = buildProviders({ [id]: { credential, variables: {} } }, false, building)[id];
  return problems.length === before ? settings : undefined;
};

export const withStoredCredentials = (config: Config, stored: ReadonlyMap<string, string>): WithCredentials => {
  const providers: Record<string, ProviderSettings> = Object.assign(Object.create(null), config.providers);
  const used = new Set<string>();
  const problems: string[] = [];
  for (const [id, credential] of stored) {
    const named = providers[id];
    if (named?.credential !== undefined) continue;
    // A stored credential must not choose what the gateway asks on its own machine.
    if (readIdentity(credential) !== undefined || isStoreReference(credential)) {
      problems.push(
        `providers.${id} an identity of the machine or a reference to a store belongs in the configuration file`,
      );
      continue;
    }
    const settings = named === undefined ? checked(id, credential, problems) : withCredential(named, credential);
    if (settings === undefined) continue;
    providers[id] = settings;
    used.add(id);
  }
  return { config: { ...config, providers }, used, problems };
};

/** Whether a definition has the form of `models` in the file. */
const checkedModel = (definition: object, problems: string[]) => {
  const filled = fillDefaults(modelsSchema.items, definition);
  const report: Report = (path, message) => void problems.push(`${pathText(path)} ${message}`.trim());
  return fitsSchema(modelsSchema.items, filled, report) ? [filled as Static<typeof modelsSchema>[number]] : [];
};

/** Models and aliases of the database besides those of the file, which win. `problem`: the first that has another form. */
export const withStoredModels = (
  config: Config,
  models: readonly { readonly id: string }[],
  aliases: readonly { readonly name: string; readonly model: string }[],
): { readonly config: Config; readonly problem: string | undefined } => {
  if (models.length === 0 && aliases.length === 0) return { config, problem: undefined };
  const inFile = new Set((config.catalogue.models ?? []).map(({ id }) => id));
  const problems: string[] = [];
  const own = models.filter(({ id }) => !inFile.has(id)).flatMap((model) => checkedModel(model, problems));
  const providers = Object.fromEntries(
    Object.entries(config.providers).map(([id, { own: host }]) => [
      id,
      host === undefined ? {} : { dialect: host.dialect },
    ]),
  );
  const { models: built = [] } = buildCatalogue(own, {}, providers);
  const all: Record<string, string> = Object.create(null);
  for (const { name, model } of aliases) all[name] = model;
  return {
    config: {
      ...config,
      catalogue: { ...config.catalogue, models: [...(config.catalogue.models ?? []), ...built] },
      aliases: Object.assign(all, config.aliases),
    },
    problem: problems[0],
  };
};

type PriceData = NonNullable<ChangeData['prices']>[number];

export const withStoredPrices = (
  config: Config,
  stored: readonly PriceChange[],
  dated: readonly DatedTerms[],
): Config => {
  const changes: Record<string, ChangeData> = { ...config.catalogue.changes };
  // From the latest to the earliest, each put in front of the others: so later ones take precedence, and the file most
  // of all.
  for (const { modelId, ...price } of [...stored].reverse()) {
    const change = Object.hasOwn(changes, modelId) ? changes[modelId] : undefined;
    changes[modelId] = { ...change, prices: [price as PriceData, ...(change?.prices ?? [])] };
  }
  return {
    ...config,
    catalogue: { ...config.catalogue, ...(stored.length > 0 && { changes }) },
    prices: { ...config.prices, ...(dated.length > 0 && { dated }) },
  };
};
