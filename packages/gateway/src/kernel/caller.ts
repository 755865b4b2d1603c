/** The authenticated caller, as the later stages see it. */

/** Limits per minute and of concurrency. Absent: no limit. */
export type RateRule = {
  readonly requestsPerMinute?: number;
  /** Of requests: how many may come at once. */
  readonly burst?: number;
  readonly tokensPerMinute?: number;
  readonly usdPerMinute?: number;
  readonly inFlight?: number;
};

/** Restrictions that most keys do not have. */
export interface CallerBounds {
  readonly protocols?: ReadonlySet<string>;
  readonly endpoints?: ReadonlySet<string>;
  readonly providers?: ReadonlySet<string>;
  mayCallFrom?(address: string): boolean;
  /** Losses that do not fail a strict request. */
  tolerates?(path: string): boolean;
}

export interface Caller {
  /** The key's name or id, never its secret. */
  readonly keyId: string;
  readonly accountId: string;
  /** Every loss becomes an error for this caller. */
  readonly strict: boolean;
  mayUse(modelId: string): boolean;
  readonly bounds?: CallerBounds;
  /** Slow streams of this caller may be hedged with a second request. */
  readonly hedges?: boolean;
  /** The member that owns the key, if any. */
  readonly memberId?: string;
  /** Rate limits of the key itself. */
  readonly rates?: RateRule;
  /** Rate limits of the account, for all its keys together. */
  readonly accountRates?: RateRule;
}
