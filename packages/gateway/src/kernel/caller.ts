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

/** The kind of program that a person has signed in. */
export type GrantClient = 'claude-code' | 'trivium-cli' | 'app';

/** How a person signed in to call with a token in place of a key. */
export type CallerGrant = {
  readonly id: string;
  readonly client: GrantClient;
  readonly email?: string;
  /** As the identity provider named them at the last proof. */
  readonly groups: readonly string[];
};

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
  /** Tags that all its calls have, whatever they say: the member's groups set them. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Only of a call with a token of a sign-in; calls with keys have none. */
  readonly grant?: CallerGrant;
}
