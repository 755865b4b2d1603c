/** A host that could serve a request: its facts, the constraints of a request, and the reasons to leave it out. */
import type { Factor, Strategy } from '@trivium/protocol/canonical';

/** What the catalogue and the operator's settings state about a model at a host. */
export type RouteFacts = {
  /** The host is the model's own maker. */
  readonly isMaker: boolean;
  /** Input and output price in one figure; undefined if the host has no price. */
  readonly picoUsd: bigint | undefined;
  /** Per million tokens, where the host has such a price. */
  readonly promptPicoUsd: bigint | undefined;
  readonly completionPicoUsd: bigint | undefined;
  readonly cacheReadPicoUsd: bigint | undefined;
  readonly contextLength: number;
  readonly maxOutputTokens: number;
  /** How the host handles data, where known: region, retention in days, whether it trains on the data. */
  readonly region?: string | undefined;
  readonly retentionDays?: number | undefined;
  readonly trains?: boolean | undefined;
};

export type RouteCandidate = { readonly provider: string; readonly routeKey: string; readonly route: RouteFacts };

export type PlanPreferences = Fence & {
  readonly strategy?: Strategy | undefined;
  readonly factor?: Factor | undefined;
  /** Only these hosts, in this order unless strategy or factor gives another. */
  readonly providers?: readonly string[] | undefined;
  /** Tried before all others, in this order, whatever else orders them. */
  readonly first?: readonly string[] | undefined;
  /** `true` (the default), `false`, or the one host to fall back to. */
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

/** By the catalogue's prices, in USD per million tokens. */
export type PriceCeiling = { readonly promptUsdPerMillion?: number; readonly completionUsdPerMillion?: number };
