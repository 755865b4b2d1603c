/**
 * What one endpoint charges one account: for each meter the row that applies, and surcharges beyond certain sizes.
 * Built once per endpoint and price factor; requests for images and video select their case by their facts.
 */
import { METERS, type Meter, PRICE_KINDS, type PriceKind } from '@trivium/protocol/canonical';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import type {
  ExactPriceItem,
  ExactPrices,
  OtherPrices,
  PriceBeyond,
  PricedEndpoint,
  PriceFacts,
  Rate,
  RateCard,
  Rates,
  Surcharge,
} from '../../kernel/price.ts';
import { LIST_PRICE_PPM, priceAfterTerms } from '../../kernel/usd.ts';
import { isCase, isMain } from './cases.ts';
import { kindsOf, METER_RULES } from './meters.ts';

/** How many price factors are cached per endpoint. */
const MAX_TERMS = 64;

export class EndpointRates implements RateCard {
  readonly version: string;
  readonly rows: string;
  readonly #endpoint: PricedEndpoint;
  readonly #byFactor = new BoundedMap<number, Rates>(MAX_TERMS);

  constructor(endpoint: PricedEndpoint, version: string, rows = '{}') {
    this.#endpoint = endpoint;
    this.version = version;
    this.rows = rows;
  }

  rates(factorPpm: number = LIST_PRICE_PPM, facts?: PriceFacts): Rates {
    if (facts !== undefined) return buildRates(this.#endpoint, this.version, factorPpm, facts);
    const known = this.#byFactor.get(factorPpm);
    if (known !== undefined) return known;
    const rates = buildRates(this.#endpoint, this.version, factorPpm, {});
    this.#byFactor.set(factorPpm, rates);
    return rates;
  }
}

function buildRates(endpoint: PricedEndpoint, version: string, factorPpm: number, facts: PriceFacts): Rates {
  const byMeter: Partial<Record<Meter, Rate>> = {};
  for (const meter of METERS) {
    const rate = rateOf(meter, endpoint, facts);
    if (rate !== undefined) byMeter[meter] = afterTerms(rate, factorPpm);
  }
  const surcharges = endpoint.otherPrices.flatMap((other) => surchargesOf(other, facts, factorPpm));
  return { version, byMeter, surcharges };
}

/** The most specific case that applies, by its number of conditions; then the main prices. */
function rateOf(meter: Meter, endpoint: PricedEndpoint, facts: PriceFacts): Rate | undefined {
  const { prices, otherPrices, priceWhen, speaks = false } = endpoint;
  const kinds = kindsOf(meter, facts, speaks);
  const fitting = otherPrices
    .filter((other) => fits(other, meter, facts))
    .sort((a, b) => narrowness(b) - narrowness(a));
  for (const { prices: own, meters } of fitting) {
    // A row with a list of meters applies to them whatever its price kind.
    const rate = firstRow(own, meter, meters === undefined ? kinds : PRICE_KINDS);
    if (rate !== undefined) return rate;
  }
  return priceWhen === undefined || isMain(priceWhen, facts) ? firstRow(prices, meter, kinds) : undefined;
}

function fits({ when, meters, beyond }: OtherPrices, meter: Meter, facts: PriceFacts): boolean {
  if (beyond !== undefined || (when === undefined && meters === undefined)) return false;
  return (meters === undefined || meters.includes(meter)) && (when === undefined || isCase(when, facts));
}

const narrowness = ({ when, meters }: OtherPrices): number =>
  Object.keys(when ?? {}).length + (meters === undefined ? 0 : 1);

function firstRow(prices: ExactPrices, meter: Meter, kinds: readonly PriceKind[]): Rate | undefined {
  for (const kind of kinds) {
    const items = prices[kind];
    if (items !== undefined && items[0]?.unit === METER_RULES[meter].unit) return { kind, items };
  }
  return undefined;
}

const afterTerms = ({ kind, items }: Rate, factorPpm: number): Rate => ({
  kind,
  items: items.map((item) => ({ ...item, picoUsd: priceAfterTerms(item.picoUsd, factorPpm) })),
});

/** Bounds of cases are in millions of pixels; hosts that charge per megapixel count 1024 × 1024 as one. */
const PIXELS_PER_CHARGED_MEGAPIXEL = 1024 ** 2;

const countedAs = (what: PriceBeyond['of'], { megapixels = 0, referenceImages = 0 }: PriceFacts): number =>
  what === 'megapixels' ? Math.round(megapixels * 1e6) / PIXELS_PER_CHARGED_MEGAPIXEL : referenceImages;

function surchargesOf({ beyond, when, prices }: OtherPrices, facts: PriceFacts, factorPpm: number): Surcharge[] {
  if (beyond === undefined || (when !== undefined && !isCase(when, facts))) return [];
  const units = Math.ceil(countedAs(beyond.of, facts) - beyond.first);
  const item = prices.image?.[0];
  if (units <= 0 || item === undefined) return [];
  const picoUsd = priceAfterTerms(item.picoUsd, factorPpm);
  const meter = beyond.of === 'referenceImages' ? 'videos' : 'pictures';
  return [{ meter, kind: 'image', units, item: { ...item, picoUsd } }];
}

// Rates that outlive the process: an operation is charged at the prices agreed when it was ordered.

type Kept<T> = T extends bigint ? string : T extends object ? { readonly [K in keyof T]: Kept<T[K]> } : T;

/** Amounts as decimal strings: JSON numbers are not exact. */
export type KeptRates = {
  readonly version: string;
  readonly byMeter: Readonly<Partial<Record<Meter, Kept<Rate>>>>;
  readonly surcharges: readonly Kept<Surcharge>[];
};

/** Keeps only the meters that can move. */
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
