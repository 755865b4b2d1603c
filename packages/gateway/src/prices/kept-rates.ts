/** Rates that outlive the process: what was agreed to when something was ordered is what it costs when it is done. */
import type { Meter } from '@trivium/protocol/canonical';
import type { ExactPriceItem } from '../catalogue/model.ts';
import type { Rate, Rates, Surcharge } from './rates.ts';

type Kept<T> = T extends bigint ? string : T extends object ? { readonly [K in keyof T]: Kept<T[K]> } : T;

/** Amounts as digits: JSON's numbers are not exact. */
export type KeptRates = {
  readonly version: string;
  readonly byMeter: Readonly<Partial<Record<Meter, Kept<Rate>>>>;
  readonly surcharges: readonly Kept<Surcharge>[];
};

/** Only the meters that can move. */
export function keepRates(rates: Rates, meters: readonly Meter[]): KeptRates {
  const kept = meters.flatMap((meter) => {
    const rate = rates.byMeter[meter];
    return rate === undefined ? [] : [[meter, { kind: rate.kind, items: rate.items.map(keepItem) }] as const];
  });
  return {
    version: rates.version,
    byMeter: Object.fromEntries(kept),
    surcharges: rates.surcharges.map((one) => ({ ...one, item: keepItem(one.item) })),
  };
}

export function recallRates({ version, byMeter, surcharges }: KeptRates): Rates {
  const recalled = Object.entries(byMeter).map(
    ([meter, { kind, items }]) => [meter, { kind, items: items.map(recallItem) }] as const,
  );
  return {
    version,
    byMeter: Object.fromEntries(recalled),
    surcharges: surcharges.map((one) => ({ ...one, item: recallItem(one.item) })),
  };
}

const keepItem = (item: ExactPriceItem): Kept<ExactPriceItem> => ({ ...item, picoUsd: `${item.picoUsd}` });
const recallItem = (item: Kept<ExactPriceItem>): ExactPriceItem => ({ ...item, picoUsd: BigInt(item.picoUsd) });
