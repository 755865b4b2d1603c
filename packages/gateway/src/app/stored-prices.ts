/** The prices, discounts and markups of the file with those of the database; part of the composition root. */

import { type Config, ownProviders } from '../config/config.ts';
import { withStoredPrices } from '../config/stored.ts';
import type { PricesPort } from '../control/prices/price-port.ts';
import { type PriceChangeRow, priceChangesInForce, type TermsRow, termsInForce } from '../control/prices/rows.ts';
import { loadCatalogue } from '../models/catalogue/load.ts';
import type { PriceChange } from '../models/catalogue/price-change.ts';
import { providerSet } from '../models/providers/provider-set.ts';
import { OPERATOR } from '../store/postgres/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { Backing } from './backing.ts';

type Stored = { readonly changes: readonly PriceChangeRow[]; readonly terms: readonly TermsRow[] };

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
  const knownProviders = providerSet(ownProviders(config)).ids;
  const overrides = withStoredPrices(config, changes, []).catalogue;
  const { problems } = await loadCatalogue({ knownProviders, overrides });
  const [first] = problems;
  return first && `${first.path}: ${first.message}`;
}

export class StoredPrices implements PricesPort {
  readonly #backing: Backing | undefined;
  readonly #log: Log;
  #config: Config;
  #taken = '';

  constructor(config: Config, backing: Backing | undefined, log: Log) {
    this.#config = config;
    this.#backing = backing;
    this.#log = log;
  }

  /**
   * Prices that do not fit the catalogue (any more) are left out and logged: they must not keep the gateway from
   * starting.
   */
  async over(config: Config): Promise<Config> {
    this.#config = config;
    if (this.#backing === undefined) return config;
    const stored = await this.#read(this.#backing);
    this.#taken = JSON.stringify(stored);
    const fitting = await fittingPrices(config, stored.changes, ({ id }, problem) =>
      this.#log.warn('stored price ignored', { problem: `${id}: ${problem}` }),
    );
    return withStoredPrices(config, fitting, stored.terms.map(datedOf));
  }

  async isChanged(): Promise<boolean> {
    return this.#backing !== undefined && JSON.stringify(await this.#read(this.#backing)) !== this.#taken;
  }

  readonly problemWith = (change: PriceChange): Promise<string | undefined> => problemIn(this.#config, [change]);

  #read({ store }: Backing): Promise<Stored> {
    return store.within(OPERATOR, async (db) => ({
      changes: await priceChangesInForce(db),
      terms: await termsInForce(db),
    }));
  }
}

const datedOf = ({ account_id, from_at, change_percent }: TermsRow) => ({
  accountId: account_id,
  fromMs: from_at.getTime(),
  changePercent: change_percent === null ? null : Number(change_percent),
});
