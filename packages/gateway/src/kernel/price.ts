/** What a price is, what a request is charged, and why reported usage is doubted. */
import type { Meter, PriceConditions, PriceKind, PriceUnit } from '@trivium/protocol/canonical';

export interface ExactPriceItem {
  /** Pico-USD for one unit: a million tokens, one piece or one second. */
  readonly picoUsd: bigint;
  readonly unit: PriceUnit;
  readonly conditions?: PriceConditions;
}

export type ExactPrices = Readonly<Partial<Record<PriceKind, readonly ExactPriceItem[]>>>;

export interface NumberRange {
  readonly gt?: number;
  readonly lte?: number;
}

/** Hours of some days of the week, both in UTC: `from` inclusive, `to` exclusive. */
export interface WeeklyHours {
  /** 0 is Sunday. */
  readonly days: readonly number[];
  readonly hours: readonly { readonly from: number; readonly to: number }[];
}

/** Which requests, at which times, a price is for. Every present member must match. */
export interface PriceCase {
  /** In lower case. */
  readonly resolution?: readonly string[];
  readonly quality?: readonly string[];
  /** Of one picture. */
  readonly megapixels?: NumberRange;
  /** Of one clip. */
  readonly seconds?: NumberRange;
  readonly edits?: boolean;
  readonly videoInput?: boolean;
  /** YYYY-MM-DD, UTC: first day, and end day (exclusive). */
  readonly from?: string;
  readonly until?: string;
  readonly weekly?: WeeklyHours;
}

/** Charged on top, for every unit above the first ones. */
export interface PriceBeyond {
  readonly of: 'megapixels' | 'referenceImages';
  readonly first: number;
}

/**
 * Prices for other cases than the main one. With neither `when`, `meters` nor `beyond` they are shown, and never
 * charged.
 */
export interface OtherPrices {
  readonly basis: string;
  readonly when?: PriceCase;
  /** Only for these usage dimensions. */
  readonly meters?: readonly Meter[];
  readonly beyond?: PriceBeyond;
  readonly prices: ExactPrices;
}

/** The prices of an offer. */
export interface PricedEndpoint {
  readonly prices: ExactPrices;
  /** Which requests the main prices are for; any other request needs a row among the other prices. */
  readonly priceWhen?: PriceCase;
  readonly otherPrices: readonly OtherPrices[];
  /** Its model answers with sound: `audio` is the price of what it says. */
  readonly speaks?: boolean;
}

export interface Rate {
  readonly kind: PriceKind;
  /** Tiers by the size of the request; never empty, and exactly one applies to any size. */
  readonly items: readonly ExactPriceItem[];
}

/** Charged for every unit of a fact above a bound, e.g. each further megapixel of each image. */
export interface Surcharge {
  readonly meter: Meter;
  readonly kind: PriceKind;
  readonly units: number;
  readonly item: ExactPriceItem;
}

export interface Rates {
  readonly version: string;
  readonly byMeter: Readonly<Partial<Record<Meter, Rate>>>;
  readonly surcharges: readonly Surcharge[];
}

/**
 * Properties of a request for images or video. Absent: not specified, so the host's default, which the main prices
 * cover.
 */
export interface PriceFacts {
  readonly resolution?: string;
  readonly quality?: string;
  readonly megapixels?: number;
  readonly seconds?: number;
  readonly referenceImages?: number;
  /** The request edits a given image or video, instead of generating a new one. */
  readonly edits?: boolean;
  readonly videoInput?: boolean;
  readonly withSound?: boolean;
}

/** The prices of one model at one host. */
export interface RateCard {
  /** Identifies these rows for good: equal rows have equal versions, different rows different ones. */
  readonly version: string;
  /** The rows as JSON, to store what a version meant. */
  readonly rows: string;
  /** Undefined facts: the price depends on counts alone, as for every text request. */
  rates(factorPpm?: number, facts?: PriceFacts): Rates;
}

export interface CostLine {
  readonly meter: Meter;
  /** The kind of price it was charged at, which may be a fallback for the meter's own. */
  readonly kind: PriceKind;
  readonly quantity: number;
  readonly unit: PriceUnit;
  /** Price of one unit: a million tokens, one piece, one second. */
  readonly picoUsd: bigint;
  readonly attoUsd: bigint;
}

export interface Cost {
  readonly lines: readonly CostLine[];
  readonly attoUsd: bigint;
  /** What is charged. */
  readonly nanoUsd: bigint;
  readonly priceVersion: string;
  /**
   * Meters that the upstream reported unexpectedly and that have no price: the operator should set one. Tokens are
   * charged at the price of plain tokens.
   */
  readonly unpriced: readonly Meter[];
}

export const SUSPECT_REASONS = [
  'output-cap',
  'answer-length',
  'context-window',
  'input-length',
  'image-count',
  'image-tokens',
  'video-tokens',
  'search-count',
  'no-tokens',
  'sound-length',
  'unit-count',
] as const;
export type SuspectReason = (typeof SUSPECT_REASONS)[number];
