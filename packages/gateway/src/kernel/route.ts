/** What is known of a model at a host when requests are routed, and why it is left out. */

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

/** What sending this request to a host would do: keep all of it, drop something, or be refused. */
export type Fit = 'keeps' | 'loses' | 'cannot';

/** Does the prompt fit the host's context? `may-exceed` if the context lies between the bounds of our estimate. */
export type Room = 'fits' | 'may-exceed' | 'exceeds';

/** Streams and non-streamed answers are measured separately. */
export type Kind = 'stream' | 'whole';

export type Latency = { readonly firstTokenMs: number | undefined; readonly waiting: number };
