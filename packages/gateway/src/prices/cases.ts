/** Prices that depend on what is asked for, not on counts: resolution, quality, size, length, editing. */
import type { NumberRange, PriceCase } from '../catalogue/model.ts';

/** What a request for pictures or video says of itself. Absent: not said, so the host's default, which main prices stand for. */
export interface PriceFacts {
  readonly resolution?: string;
  readonly quality?: string;
  readonly megapixels?: number;
  readonly seconds?: number;
  readonly referenceImages?: number;
  /** Something given is changed, rather than something new made. */
  readonly edits?: boolean;
  readonly videoInput?: boolean;
  readonly withSound?: boolean;
}

const isAmong = (words: readonly string[] | undefined, said: string | undefined, ifUnsaid: boolean): boolean =>
  words === undefined || (said === undefined ? ifUnsaid : words.includes(said.toLowerCase()));

const isWithin = (range: NumberRange | undefined, said: number | undefined, ifUnsaid: boolean): boolean => {
  if (range === undefined) return true;
  if (said === undefined) return ifUnsaid;
  return (range.gt === undefined || said > range.gt) && (range.lte === undefined || said <= range.lte);
};

const matches = (when: PriceCase, facts: PriceFacts, ifUnsaid: boolean): boolean =>
  isAmong(when.resolution, facts.resolution, ifUnsaid) &&
  isAmong(when.quality, facts.quality, ifUnsaid) &&
  isWithin(when.megapixels, facts.megapixels, ifUnsaid) &&
  isWithin(when.seconds, facts.seconds, ifUnsaid) &&
  (when.edits === undefined || when.edits === (facts.edits ?? false)) &&
  (when.videoInput === undefined || when.videoInput === (facts.videoInput ?? false));

/** A case needs its facts said. */
export const isCase = (when: PriceCase, facts: PriceFacts): boolean => matches(when, facts, false);

/** Main prices stand for whatever is left unsaid. */
export const isMain = (when: PriceCase, facts: PriceFacts): boolean => matches(when, facts, true);
