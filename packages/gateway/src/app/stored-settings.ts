/** The configuration of the file with what the database has of it: models, aliases, prices, terms and rules of alerts. Part of the composition root. */

import { type Config, ownProviders } from '../config/config.ts';
import { pathText } from '../config/reading/problem.ts';
import { checkAliases } from '../config/sections/aliases.ts';
import { withStoredModels, withStoredPrices } from '../config/stored.ts';
import { withStoredRules } from '../control/alerts/alert-rules.ts';
import { listAlertRules, type StoredAlertRule } from '../control/alerts/rule-rows.ts';
import type { OwnModelDefinition } from '../control/models/own-contract.ts';
import type { CatalogueMisfit, CataloguePort, StoredCatalogue } from '../control/models/ports.ts';
import { listModelAliases, listOwnModels } from '../control/models/rows.ts';
import type { PricesPort } from '../control/prices/price-port.ts';
import { type PriceChangeRow, priceChangesInForce, type TermsRow, termsInForce } from '../control/prices/rows.ts';
import { loadCatalogue } from '../models/catalogue/load.ts';
import type { PriceChange } from '../models/catalogue/price-change.ts';
import { providerSet } from '../models/providers/provider-set.ts';
import { OPERATOR } from '../store/postgres/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { Backing } from './backing.ts';

type Stored = Pick<StoredCatalogue, 'models' | 'aliases'> & {
  readonly changes: readonly PriceChangeRow[];
  readonly terms: readonly TermsRow[];
  readonly rules: readonly StoredAlertRule[];
};

const changeOf = ({ model, provider, dialect, from, until, pricings }: PriceChangeRow): PriceChange => ({
  modelId: model,
  provider,
  ...(dialect !== null && { dialect }),
  ...(from !== null && { from }),
  ...(until !== null && { until }),
  pricings,
});

/** Those that (still) fit the catalogue, in their order. */
export async function fittingPrices(
  config: Config,
  rows: readonly PriceChangeRow[],
  onMisfit: (row: PriceChangeRow, problem: string) => void,
): Promise<readonly PriceChange[]> {
  const all = rows.map(changeOf);
  if (all.length === 0 || (await problemIn(config, all)) === undefined) return all;
  const fitting: PriceChange[] = [];
  for (const row of rows) {
    const change = changeOf(row);
    const problem = await problemIn(config, [...fitting, change]);
    if (problem === undefined) fitting.push(change);
    else onMisfit(row, problem);
  }
  return fitting;
}

async function problemIn(config: Config, changes: readonly PriceChange[]): Promise<string | undefined> {
  const { problems } = await catalogueOf(withStoredPrices(config, changes, []));
  const [first] = problems;
  return first && `${first.path}: ${first.message}`;
}

const catalogueOf = (config: Config) =>
  loadCatalogue({ knownProviders: providerSet(ownProviders(config)).ids, overrides: config.catalogue });

/** The first model or alias that does not fit: in the form of the file, then with the catalogue. */
async function modelMisfit(
  config: Config,
  models: StoredCatalogue['models'],
  aliases: StoredCatalogue['aliases'],
): Promise<CatalogueMisfit | undefined> {
  if (models.length === 0 && aliases.length === 0) return undefined;
  const misfitOf = async (count: number): Promise<string | undefined> => {
    const stored = withStoredModels(config, models.slice(0, count), []);
    if (stored.problem !== undefined) return stored.problem;
    const [first] = (await catalogueOf(stored.config)).problems;
    return first && `${first.path.replace(/^models\[\d+\]\.?/, '')} ${first.message}`.trim();
  };
  const at = await firstFailing(models.length, misfitOf);
  if (at !== undefined) return { of: 'models', at: at.index, problem: at.problem };
  const { config: merged } = withStoredModels(config, models, aliases);
  const { snapshot } = await catalogueOf(merged);
  const [misfit] = checkAliases(merged, (name) => snapshot.find(name)?.id);
  if (misfit === undefined) return undefined;
  const index = aliases.findIndex(({ name }) => misfit.path === pathText(['aliases', name]));
  // Index -1: an alias of the file, which no change of the database has made wrong.
  return index < 0 ? undefined : { of: 'aliases', at: index, problem: misfit.message };
}

/** By halves: the end of the shortest part that fails. */
async function firstFailing(
  count: number,
  problemOf: (count: number) => Promise<string | undefined>,
): Promise<{ readonly index: number; readonly problem: string } | undefined> {
  let problem = count === 0 ? undefined : await problemOf(count);
  if (problem === undefined) return undefined;
  let [low, high] = [0, count];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const found = await problemOf(middle);
    if (found === undefined) low = middle;
    else [high, problem] = [middle, found];
  }
  return { index: high - 1, problem };
}

export class StoredSettings implements PricesPort, CataloguePort {
  readonly #backing: Backing | undefined;
  readonly #log: Log;
  #file: Config;
  #config: Config;
  #taken = '';

  constructor(config: Config, backing: Backing | undefined, log: Log) {
    this.#file = config;
    this.#config = config;
    this.#backing = backing;
    this.#log = log;
  }

  /** What does not fit the catalogue (any more) is left out and logged: it must not keep the gateway from starting. */
  async over(config: Config): Promise<Config> {
    this.#file = config;
    if (this.#backing === undefined) return config;
    const stored = await this.#read(this.#backing);
    this.#taken = JSON.stringify(stored);
    const withModels = await this.#withModels(config, stored);
    this.#config = withModels;
    const fitting = await fittingPrices(withModels, stored.changes, ({ id }, problem) =>
      this.#log.warn('stored price ignored', { problem: `${id}: ${problem}` }),
    );
    const priced = withStoredPrices(withModels, fitting, stored.terms.map(datedOf));
    return stored.rules.length === 0 ? priced : { ...priced, alerts: withStoredRules(priced.alerts, stored.rules) };
  }

  /** The prices in force and drafted ones, which come last. */
  async withDraft(config: Config, drafted: readonly PriceChange[]): Promise<Config> {
    if (this.#backing === undefined || drafted.length === 0) return config;
    const { changes } = await this.#read(this.#backing);
    const fitting = await fittingPrices(this.#config, changes, () => undefined);
    const { catalogue } = withStoredPrices(this.#config, [...fitting, ...drafted], []);
    return { ...config, catalogue };
  }

  /** The first thing that is wrong with drafted prices. */
  readonly problemWithAll = (changes: readonly PriceChange[]): Promise<string | undefined> =>
    problemIn(this.#config, changes);

  async #withModels(config: Config, stored: Pick<Stored, 'models' | 'aliases'>): Promise<Config> {
    let { models, aliases } = stored;
    for (;;) {
      const misfit = await modelMisfit(config, models, aliases);
      if (misfit === undefined) return withStoredModels(config, models, aliases).config;
      const { of, at, problem } = misfit;
      const name = of === 'models' ? models[at]?.id : aliases[at]?.name;
      this.#log.warn(of === 'models' ? 'stored model ignored' : 'stored alias ignored', {
        problem: `${name}: ${problem}`,
      });
      if (of === 'models') models = models.toSpliced(at, 1);
      else aliases = aliases.toSpliced(at, 1);
    }
  }

  async isChanged(): Promise<boolean> {
    return this.#backing !== undefined && JSON.stringify(await this.#read(this.#backing)) !== this.#taken;
  }

  /** The settings of alerts in the file. */
  readonly fileAlerts = (): Config['alerts'] => this.#file.alerts;

  readonly problemWith = (change: PriceChange): Promise<string | undefined> => problemIn(this.#config, [change]);

  readonly misfitIn = async ({ models, aliases, prices }: StoredCatalogue): Promise<CatalogueMisfit | undefined> => {
    const misfit = await modelMisfit(this.#file, models, aliases);
    if (misfit !== undefined) return misfit;
    const { config } = withStoredModels(this.#file, models, aliases);
    const at = await firstFailing(prices.length, (count) => problemIn(config, prices.slice(0, count)));
    return at && { of: 'prices', at: at.index, problem: at.problem };
  };

  #read({ store }: Backing): Promise<Stored> {
    return store.within(OPERATOR, async (db) => ({
      changes: await priceChangesInForce(db),
      terms: await termsInForce(db),
      models: (await listOwnModels(db)).map(({ definition }) => definition as OwnModelDefinition),
      aliases: (await listModelAliases(db)).map(({ name, model }) => ({ name, model })),
      rules: await listAlertRules(db),
    }));
  }
}

const datedOf = ({ account_id, from_at, change_percent }: TermsRow) => ({
  accountId: account_id,
  fromMs: from_at.getTime(),
  changePercent: change_percent === null ? null : Number(change_percent),
});
