// Prices: exact decimals, units that fit their kind, and tiers without gaps and overlaps.

import type { PriceKind, PriceUnit, TokenRange } from '@trivium/protocol/canonical';
import { PRICE_KINDS } from '@trivium/protocol/canonical';
import type { ExactPriceItem, ExactPrices } from '../../kernel/price.ts';
import { parsePicoUsd } from '../../kernel/usd.ts';
import { at, type ReportProblem } from './problem.ts';
import type { PriceItemData, PricingsData } from './schema-prices.ts';

const TOKENS_ONLY: readonly PriceUnit[] = ['perMTokens'];
const ANY_UNIT: readonly PriceUnit[] = ['perMTokens', 'perCount', 'perSecond'];

const UNITS_OF: Readonly<Record<PriceKind, readonly PriceUnit[]>> = {
  /** Pieces are the search units of reranking. */
  prompt: ['perMTokens', 'perCount'],
  completion: TOKENS_ONLY,
  input_cache_read: TOKENS_ONLY,
  input_cache_write_5_min: TOKENS_ONLY,
  input_cache_write_1_h: TOKENS_ONLY,
  input_cache_write: TOKENS_ONLY,
  internal_reasoning: TOKENS_ONLY,
  web_search: ['perCount'],
  image: ['perMTokens', 'perCount'],
  video: ANY_UNIT,
  audio: ANY_UNIT,
  audio_and_video: ANY_UNIT,
};

const isInRange = (kTokens: number, range: TokenRange | undefined): boolean =>
  range === undefined ||
  (kTokens >= (range.gte ?? 0) &&
    (range.gt == null || kTokens > range.gt) &&
    (range.lte == null || kTokens <= range.lte) &&
    (range.lt == null || kTokens < range.lt));

const boundsOf = (range: TokenRange | undefined): number[] =>
  range === undefined ? [] : [range.gte, range.gt, range.lte, range.lt].filter((bound) => typeof bound === 'number');

/** Every bound and a point just above it: bounds are integers, so nothing can change between two samples. */
const samplesOf = (ranges: readonly (TokenRange | undefined)[]): number[] =>
  [...new Set([0, ...ranges.flatMap(boundsOf)])].sort((a, b) => a - b).flatMap((bound) => [bound, bound + 0.5]);

const checkRange = (range: TokenRange, place: string, report: ReportProblem): void => {
  if (range.gte !== undefined && range.gt !== undefined) report(place, 'has both gte and gt');
  if (range.lte !== undefined && range.lt !== undefined) report(place, 'has both lte and lt');
  if (boundsOf(range).length === 0) report(place, 'has no bound; leave the condition out');
  else if (!samplesOf([range]).some((size) => isInRange(size, range)))
    report(place, 'is empty: no size lies within it');
};

const checkCover = (items: readonly PriceItemData[], place: string, report: ReportProblem): void => {
  const promptSizes = samplesOf(items.map((item) => item.conditions?.prompt_tokens));
  const completionSizes = samplesOf(items.map((item) => item.conditions?.completion_tokens));
  for (const prompt of promptSizes) {
    for (const completion of completionSizes) {
      const matches = items.filter(
        ({ conditions }) =>
          isInRange(prompt, conditions?.prompt_tokens) && isInRange(completion, conditions?.completion_tokens),
      ).length;
      if (matches === 1) continue;
      const size = `a prompt of ${prompt}k and a completion of ${completion}k tokens`;
      report(place, matches === 0 ? `no tier covers ${size}` : `${matches} tiers overlap at ${size}`);
      return;
    }
  }
};

const readItem = (item: PriceItemData, kind: PriceKind, place: string, report: ReportProblem): ExactPriceItem => {
  const price = parsePicoUsd(item.value);
  if (!price.ok) report(at(place, 'value'), price.message);
  if (!UNITS_OF[kind].includes(item.unit))
    report(at(place, 'unit'), `does not fit ${kind}: ${UNITS_OF[kind].join(', ')}`);
  const { conditions } = item;
  if (conditions !== undefined) {
    const named = Object.entries(conditions);
    if (named.length === 0) report(at(place, 'conditions'), 'names no condition; leave it out');
    for (const [dimension, range] of named) checkRange(range, at(at(place, 'conditions'), dimension), report);
  }
  return {
    picoUsd: price.ok ? price.picoUsd : 0n,
    unit: item.unit,
    ...(conditions === undefined ? {} : { conditions }),
  };
};

/** Reports errors and returns the exact prices; they are valid only if nothing was reported. */
export const readPrices = (data: PricingsData, place: string, report: ReportProblem): ExactPrices => {
  const prices: Partial<Record<PriceKind, readonly ExactPriceItem[]>> = {};
  for (const kind of PRICE_KINDS) {
    const items = data[kind];
    if (items === undefined) continue;
    const listPlace = at(place, kind);
    prices[kind] = items.map((item, index) => readItem(item, kind, at(listPlace, index), report));
    if (new Set(items.map((item) => item.unit)).size > 1) report(listPlace, 'mixes units between its tiers');
    checkCover(items, listPlace, report);
  }
  return prices;
};
