/** A host that could serve a request: what is known of it, what a request may demand of it, why it may be left out. */
import type { Factor, Strategy } from '@trivium/protocol/canonical';

/** What is known of a model at a host before anybody has asked it. */
export type RouteFacts = {
  /** The host is the model's own maker. */
  readonly isMaker: boolean;
  /** A prompt and an answer in one figure; undefined where the host is not priced. */
  readonly picoUsd: bigint | undefined;
  /** For a million tokens each, where the host has such a price. */
  readonly promptPicoUsd: bigint | undefined;
  readonly completionPicoUsd: bigint | undefined;
  readonly cacheReadPicoUsd: bigint | undefined;
  readonly contextLength: number;
  readonly maxOutputTokens: number;
  /** How the host handles what it is sent, where that is known: where it works, for how long it keeps it, whether it trains on it. */
  readonly region?: string | undefined;
  readonly retentionDays?: number | undefined;
  readonly trains?: boolean | undefined;
};

export type RouteCandidate = { readonly provider: string; readonly routeKey: string; readonly route: RouteFacts };

export type PlanPreferences = Fence & {
  readonly strategy?: Strategy | undefined;
  readonly factor?: Factor | undefined;
  /** Nobody else, and in this order where neither strategy nor factor has another. */
  readonly providers?: readonly string[] | undefined;
  /** Asked before all others, in this order, whatever else orders them. */
  readonly first?: readonly string[] | undefined;
  /** `true` (the default), `false`, or the one host that may step in. */
  readonly fallback?: string | undefined;
};

export const WHYS_LEFT_OUT = [
  'not-among-providers',
  'ignored',
  'may-train',
  'may-retain',
  'other-region',
  'too-dear',
  'context-too-short',
  'ejected',
  'cannot-carry',
  'no-fallback',
  'not-the-fallback',
] as const;

export type WhyLeftOut = (typeof WHYS_LEFT_OUT)[number];

export type Fence = {
  readonly providers?: readonly string[] | undefined;
  readonly only?: readonly string[] | undefined;
  readonly ignore?: readonly string[] | undefined;
  readonly maxPrice?: PriceCeiling | undefined;
  readonly noTraining?: boolean | undefined;
  readonly zeroRetention?: boolean | undefined;
  readonly regions?: readonly string[] | undefined;
};

/** By the catalogue's prices, in USD for a million tokens. */
export type PriceCeiling = { readonly promptUsdPerMillion?: number; readonly completionUsdPerMillion?: number };
