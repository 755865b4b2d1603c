/** Prices that depend on properties of the request, not on counts: resolution, quality, size, length, editing. */
import type { NumberRange, PriceCase, PriceFacts } from '../../kernel/price.ts';

const isAmong = (words: readonly string[] | undefined, value: string | undefined, ifUnspecified: boolean): boolean =>
  words === undefined || (value === undefined ? ifUnspecified : words.includes(value.toLowerCase()));

const isWithin = (range: NumberRange | undefined, value: number | undefined, ifUnspecified: boolean): boolean => {
  if (range === undefined) return true;
  if (value === undefined) return ifUnspecified;
  return (range.gt === undefined || value > range.gt) && (range.lte === undefined || value <= range.lte);
};

const matches = (when: PriceCase, facts: PriceFacts, ifUnspecified: boolean): boolean =>
  isAmong(when.resolution, facts.resolution, ifUnspecified) &&
  isAmong(when.quality, facts.quality, ifUnspecified) &&
  isWithin(when.megapixels, facts.megapixels, ifUnspecified) &&
  isWithin(when.seconds, facts.seconds, ifUnspecified) &&
  (when.edits === undefined || when.edits === (facts.edits ?? false)) &&
  (when.videoInput === undefined || when.videoInput === (facts.videoInput ?? false));

/** A case applies only if all its facts are specified. */
export const isCase = (when: PriceCase, facts: PriceFacts): boolean => matches(when, facts, false);

/** The main prices cover every fact that is not specified. */
export const isMain = (when: PriceCase, facts: PriceFacts): boolean => matches(when, facts, true);
