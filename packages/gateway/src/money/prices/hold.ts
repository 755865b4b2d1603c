/**
 * The maximum a request can cost, before anything is sent: its input and its maximum output, at the highest rates that
 * may apply.
 */
import { INPUT_METERS, type Meter, type TokenRange } from '@trivium/protocol/canonical';
import type { ExactPriceItem, Rates } from '../../kernel/price.ts';
import { nanoUsdUp } from '../../kernel/usd.ts';
import { amountAttoUsd } from './cost.ts';

/** Upper bounds of a request's usage. A request that stays within them never costs more than its hold. */
export interface HoldAsk {
  readonly inputTokens: number;
  /** Of all kinds: text, reasoning, images and audio. */
  readonly outputTokens: number;
  /** Meters other than text and reasoning that the request can move: its media, searches, images, seconds of video. */
  readonly others?: Readonly<Partial<Record<Meter, number>>>;
}

/** Meters that input text may be counted as, with or without a cache. */
const TEXT_INPUTS: readonly Meter[] = [
  'prompt',
  'inputCacheRead',
  'inputCacheWrite',
  'inputCacheWrite5Min',
  'inputCacheWrite1H',
  'inputDocument',
  'toolUsePrompt',
];
const TEXT_OUTPUTS: readonly Meter[] = ['completion', 'internalReasoning'];

const K_TOKENS = 1000;
const startsBelow = (tokens: number, range: TokenRange | undefined): boolean =>
  range === undefined || (tokens >= (range.gte ?? 0) * K_TOKENS && (range.gt == null || tokens > range.gt * K_TOKENS));

/** The most expensive tier that a request of at most these sizes can fall in. */
const highestTier = (items: readonly ExactPriceItem[], { inputTokens, outputTokens }: HoldAsk): ExactPriceItem =>
  items
    .filter(
      ({ conditions }) =>
        startsBelow(inputTokens, conditions?.prompt_tokens) && startsBelow(outputTokens, conditions?.completion_tokens),
    )
    .reduce((one, other) => (other.picoUsd > one.picoUsd ? other : one));

const highestOf = (meters: readonly Meter[], rates: Rates, ask: HoldAsk): ExactPriceItem | undefined => {
  let highest: ExactPriceItem | undefined;
  for (const meter of meters) {
    const rate = rates.byMeter[meter];
    if (rate === undefined) continue;
    const item = highestTier(rate.items, ask);
    if (highest === undefined || item.picoUsd > highest.picoUsd) highest = item;
  }
  return highest;
};

type TextRows = { readonly input: ExactPriceItem | undefined; readonly output: ExactPriceItem | undefined };

/** With prices by request size, no row is the most expensive for all sizes. */
const BY_SIZE = 'by size';
const textRowsOf = new WeakMap<Rates, TextRows | typeof BY_SIZE>();

/**
 * The highest rows for text-only requests, which most are: found once per price list, unless prices depend on the size.
 */
const textRows = (rates: Rates, ask: HoldAsk): TextRows => {
  const known = textRowsOf.get(rates);
  if (known !== undefined && known !== BY_SIZE) return known;
  const rows = { input: highestOf(TEXT_INPUTS, rates, ask), output: highestOf(TEXT_OUTPUTS, rates, ask) };
  if (known === undefined) {
    const bySize = [...TEXT_INPUTS, ...TEXT_OUTPUTS].some((meter) => (rates.byMeter[meter]?.items.length ?? 0) > 1);
    textRowsOf.set(rates, bySize ? BY_SIZE : rows);
  }
  return rows;
};

const NONE_MISSING: readonly Meter[] = [];

/** Meters without a price that the request will or may move: it must not be sent for an account that pays. */
export const missingPrices = (rates: Rates, ask: HoldAsk): readonly Meter[] => {
  const { prompt, completion } = rates.byMeter;
  const areWordsPriced = prompt !== undefined && completion !== undefined;
  return areWordsPriced && ask.others === undefined ? NONE_MISSING : missingAmong(rates, ask);
};

const missingAmong = (rates: Rates, { inputTokens, outputTokens, others = {} }: HoldAsk): readonly Meter[] => {
  const needed: Meter[] = [];
  if (inputTokens > 0) needed.push('prompt');
  // An output of images or sound only needs no text price.
  if (outputTokens > (others.outputImage ?? 0) + (others.outputAudio ?? 0)) needed.push('completion');
  for (const [meter, most] of Object.entries(others)) if (most > 0) needed.push(meter as Meter);
  return needed.filter((meter) => rates.byMeter[meter] === undefined);
};

const amountOf = (quantity: number, item: ExactPriceItem | undefined): bigint =>
  item === undefined ? 0n : amountAttoUsd(quantity, item);

export const holdNanoUsd = (rates: Rates, ask: HoldAsk): bigint => {
  if (ask.others !== undefined) return holdWithOthers(rates, ask, ask.others);
  const { input, output } = textRows(rates, ask);
  return nanoUsdUp(amountOf(ask.inputTokens, input) + amountOf(ask.outputTokens, output));
};

const holdWithOthers = (rates: Rates, ask: HoldAsk, moved: NonNullable<HoldAsk['others']>): bigint => {
  const others = Object.entries(moved) as [Meter, number][];
  const tokenMeters = others.flatMap(([meter]) => (isTokens(meter, rates) ? [meter] : []));
  const input = highestOf([...TEXT_INPUTS, ...tokenMeters.filter((meter) => INPUT_METERS.includes(meter))], rates, ask);
  const output = highestOf(
    [...TEXT_OUTPUTS, ...tokenMeters.filter((meter) => !INPUT_METERS.includes(meter))],
    rates,
    ask,
  );
  let attoUsd = amountOf(ask.inputTokens, input) + amountOf(ask.outputTokens, output);
  for (const [meter, most] of others) {
    const rate = rates.byMeter[meter];
    if (rate !== undefined && !isTokens(meter, rates)) attoUsd += amountAttoUsd(most, highestTier(rate.items, ask));
  }
  for (const { meter, units, item } of rates.surcharges) attoUsd += amountAttoUsd((moved[meter] ?? 0) * units, item);
  return nanoUsdUp(attoUsd);
};

const isTokens = (meter: Meter, { byMeter }: Rates): boolean => byMeter[meter]?.items[0]?.unit === 'perMTokens';
