/** The prices and per-account discounts and markups of `trivium config diff`; part of the composition root. */

import type { Config } from '../config/config.ts';
import { priceChangesInForce, type TermsRow, termsInForce } from '../control/prices/rows.ts';
import type { PriceChange } from '../models/catalogue/price-change.ts';
import { OPERATOR, type Store } from '../store/postgres/store.ts';
import { fittingPrices } from './stored-settings.ts';

const NONE = '-';

const placeOf = ({ modelId, provider, dialect }: PriceChange): string =>
  `${modelId} at ${provider}${dialect === undefined ? '' : ` (${dialect})`}`;

const daysOf = ({ from, until }: { readonly from?: string | undefined; readonly until?: string | undefined }): string =>
  `${from === undefined ? '' : ` from ${from}`}${until === undefined ? '' : ` until ${until}`}`;

const shown = (changes: readonly PriceChange[]): string =>
  changes.map((change) => `${Object.keys(change.pricings).join(', ')}${daysOf(change)}`).join('; ') || NONE;

/** The file applies for each kind of price it contains; a price it gives for some days only, on these days. */
function appliedSource(inFile: readonly PriceChange[], stored: readonly PriceChange[]): string {
  if (inFile.length === 0) return 'database';
  if (stored.length === 0) return 'file';
  const kindsOf = (changes: readonly PriceChange[]): readonly string[] => [
    ...new Set(changes.flatMap(({ pricings }) => Object.keys(pricings))),
  ];
  const always = kindsOf(inFile.filter(({ from, until }) => from === undefined && until === undefined));
  const atTimes = kindsOf(inFile).filter((kind) => !always.includes(kind));
  const others = kindsOf(stored).filter((kind) => !always.includes(kind));
  if (others.length === 0) return 'file';
  return [
    ...(always.length > 0 ? [`file for ${always.join(', ')}`] : []),
    ...(atTimes.length > 0 ? ['file on its days'] : []),
    `database for ${others.join(', ')}`,
  ].join('; ');
}

const fileChanges = ({ catalogue }: Config): readonly PriceChange[] =>
  Object.entries(catalogue.changes ?? {}).flatMap(([modelId, { prices = [] }]) =>
    prices.map((price): PriceChange => ({ modelId, ...price })),
  );

export async function priceRows(config: Config, store: Store): Promise<readonly DiffRow[]> {
  const misfits: DiffRow[] = [];
  const stored = await fittingPrices(config, await store.within(OPERATOR, priceChangesInForce), (row, problem) =>
    misfits.push({ what: 'price', name: row.id, file: NONE, database: row.model, used: `none: ${problem}` }),
  );
  const inFile = fileChanges(config);
  const places = [...new Set([...inFile, ...stored].map(placeOf))].sort();
  const rows = places.map((name): DiffRow => {
    const isMeant = (change: PriceChange): boolean => placeOf(change) === name;
    const [file, database] = [inFile.filter(isMeant), stored.filter(isMeant)];
    return { what: 'price', name, file: shown(file), database: shown(database), used: appliedSource(file, database) };
  });
  return [...rows, ...misfits];
}

const percent = (change: number): string => `${change > 0 ? '+' : ''}${change} %`;

const dated = ({ change_percent, from_at }: TermsRow): string =>
  `${change_percent === null ? 'standard prices' : percent(Number(change_percent))} from ${from_at.toISOString().slice(0, 10)}`;

export async function termsRows({ prices }: Config, store: Store): Promise<readonly DiffRow[]> {
  const stored = new Map<string, string[]>();
  for (const row of await store.within(OPERATOR, termsInForce))
    stored.set(row.account_id, [...(stored.get(row.account_id) ?? []), dated(row)]);
  return [...new Set([...Object.keys(prices.accounts), ...stored.keys()])].sort().map((name): DiffRow => {
    const inFile = prices.accounts[name];
    return {
      what: 'terms',
      name,
      file: inFile === undefined ? NONE : percent(inFile),
      database: stored.get(name)?.join('; ') ?? NONE,
      used: inFile === undefined ? 'database' : 'file',
    };
  });
}

export type DiffRow = {
  readonly what: 'credential' | 'key' | 'account' | 'price' | 'terms';
  readonly name: string;
  readonly file: string;
  readonly database: string;
  readonly used: string;
};
