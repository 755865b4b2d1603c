/**
 * The cost of a request: every meter times its price, line by line, in whole numbers. A pure function of usage and
 * rates, computed once per request; lines are exact, and only their sum is rounded.
 */

import {
  INPUT_METERS,
  inputTokens,
  METERS,
  type Meter,
  outputTokens,
  type PriceKind,
  type PriceUnit,
  type TokenRange,
  type Usage,
} from '@trivium/protocol/canonical';
import type { Cost, CostLine, ExactPriceItem, Rate, Rates, Surcharge } from '../../kernel/price.ts';
import { nanoUsd } from '../../kernel/usd.ts';
import { METER_RULES } from './meters.ts';

const MILLI = 1000;
/**
 * Atto-USD for one unit of a quantity, given pico-USD for one unit of its price. Seconds are counted in thousandths.
 */
const ATTO_PER: Readonly<Record<PriceUnit, bigint>> = { perMTokens: 1n, perCount: 1_000_000n, perSecond: 1000n };

/** Whole and never negative, whatever an upstream reports; started units are rounded up. */
const wholeUnits = (quantity: number, unit: PriceUnit): bigint => {
  const units = Math.ceil(unit === 'perSecond' ? quantity * MILLI : quantity);
  if (!(units > 0)) return 0n;
  return BigInt(Math.min(units, Number.MAX_SAFE_INTEGER));
};

export const amountAttoUsd = (quantity: number, { picoUsd, unit }: ExactPriceItem): bigint =>
  wholeUnits(quantity, unit) * picoUsd * ATTO_PER[unit];

const TOKENS_PER_K = 1000;
const holds = (tokens: number, range: TokenRange | undefined): boolean =>
  range === undefined ||
  (tokens >= (range.gte ?? 0) * TOKENS_PER_K &&
    (range.gt == null || tokens > range.gt * TOKENS_PER_K) &&
    (range.lte == null || tokens <= range.lte * TOKENS_PER_K) &&
    (range.lt == null || tokens < range.lt * TOKENS_PER_K));

/** The whole request is charged at the tier of its size: all input, cached or not, and all output. */
const tierOf = (items: readonly ExactPriceItem[], inputs: number, outputs: number): ExactPriceItem | undefined => {
  if (items.length === 1) return items[0];
  return items.find(
    ({ conditions }) => holds(inputs, conditions?.prompt_tokens) && holds(outputs, conditions?.completion_tokens),
  );
};

const PLACES: ReadonlyMap<string, number> = new Map(METERS.map((meter, place) => [meter, place]));

const placeOf = (meter: Meter): number => PLACES.get(meter) ?? METERS.length;

/**
 * In the order of METERS; most requests move two or three. Inserted in place, because sorting allocates more than the
 * rest of a bill. Unknown names cost nothing.
 */
const movedMeters = (usage: Usage): readonly Meter[] => {
  const moved: Meter[] = [];
  for (const name in usage) {
    const meter = name as Meter;
    const place = PLACES.get(meter);
    if (place === undefined || (usage[meter] ?? 0) <= 0) continue;
    let at = moved.length;
    while (at > 0 && placeOf(moved[at - 1]!) > place) at--;
    if (at === moved.length) moved.push(meter);
    else moved.splice(at, 0, meter);
  }
  return moved;
};

export const costOf = (usage: Usage, rates: Rates): Cost => {
  const [inputs, outputs] = [inputTokens(usage), outputTokens(usage)];
  const lines: CostLine[] = [];
  const unpriced: Meter[] = [];
  let attoUsd = 0n;
  for (const meter of movedMeters(usage)) {
    const quantity = usage[meter] ?? 0;
    const own = rates.byMeter[meter];
    if (own === undefined && isMeasuredOtherwise(meter, rates, usage)) continue;
    if (own === undefined) unpriced.push(meter);
    const rate = own ?? standIn(meter, rates);
    const item = rate === undefined ? undefined : tierOf(rate.items, inputs, outputs);
    if (rate === undefined || item === undefined) continue;
    const line = lineOf(meter, rate.kind, quantity, item);
    attoUsd += line.attoUsd;
    lines.push(line);
  }
  for (const surcharge of rates.surcharges) {
    const line = surchargeLine(surcharge, usage);
    if (line === undefined) continue;
    attoUsd += line.attoUsd;
    lines.push(line);
  }
  return { lines, attoUsd, nanoUsd: nanoUsd(attoUsd), priceVersion: rates.version, unpriced };
};

const lineOf = (meter: Meter, kind: PriceKind, quantity: number, item: ExactPriceItem): CostLine => ({
  meter,
  kind,
  quantity,
  unit: item.unit,
  picoUsd: item.picoUsd,
  attoUsd: amountAttoUsd(quantity, item),
});

function surchargeLine({ meter, kind, units, item }: Surcharge, usage: Usage): CostLine | undefined {
  const pieces = usage[meter] ?? 0;
  return pieces > 0 ? lineOf(meter, kind, pieces * units, item) : undefined;
}

/**
 * Fallback for tokens that an upstream reports although requests that need the missing price are refused: they are not
 * free.
 */
const standIn = (meter: Meter, { byMeter }: Rates): Rate | undefined => {
  if (METER_RULES[meter].unit !== 'perMTokens') return undefined;
  return INPUT_METERS.includes(meter) ? byMeter.prompt : byMeter.completion;
};

/**
 * A video is measured in seconds, pieces or tokens, whichever its host charges for: if one of them has a price, the
 * others are not missing one.
 */
const isMeasuredOtherwise = (meter: Meter, { byMeter }: Rates, usage: Usage): boolean => {
  const { thing } = METER_RULES[meter];
  return (
    thing !== undefined &&
    METERS.some(
      (other) => METER_RULES[other].thing === thing && byMeter[other] !== undefined && (usage[other] ?? 0) > 0,
    )
  );
};
