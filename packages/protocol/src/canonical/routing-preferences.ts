/** What a caller wants of the way its call takes: which hosts, in which order, and what to do when one fails. */
export const STRATEGIES = ['priority', 'round_robin', 'least_latency'] as const;
export type Strategy = (typeof STRATEGIES)[number];

export const FACTORS = ['cost', 'speed', 'quality'] as const;
export type Factor = (typeof FACTORS)[number];

export const TASK_TYPES = ['chat', 'completion', 'embedding'] as const;
export type TaskType = (typeof TASK_TYPES)[number];

export const COMPLEXITIES = ['low', 'medium', 'high'] as const;
export type Complexity = (typeof COMPLEXITIES)[number];

/** What follows when a host refuses the request itself: its answer is final, or the next host or model is asked. */
export const ON_REFUSALS = ['final', 'next'] as const;
export type OnRefusal = (typeof ON_REFUSALS)[number];

/** Most hosts or models one wish may name. */
export const MAX_WISHED_NAMES = 64;

/** A host or model somebody named, and where, so that a refusal can say so. */
export type Named = { readonly name: string; readonly field: string };
export type NamedList = { readonly field: string; readonly names: readonly Named[] };

/** Highest catalogue prices, in USD for a million tokens, and where the caller wrote them. */
export type MaxPrice = {
  readonly field: string;
  readonly promptUsdPerMillion?: number;
  readonly completionUsdPerMillion?: number;
};

/** Lists are never empty: whoever names nothing has no wish. */
export type RoutingPreferences = {
  readonly strategy?: Strategy;
  readonly factor?: Factor;
  /** No other host is asked. */
  readonly providers?: NamedList;
  /** `true`, `false`, or the one host that may step in. */
  readonly fallback?: Named;
  /** No other model is asked. */
  readonly models?: NamedList;
  readonly preference?: Named;
  /** What the call is about, for choosing among models. */
  readonly taskType?: TaskType;
  readonly complexity?: Complexity;
  readonly onRefusal?: OnRefusal;
  /** No other host is asked; the list is no order. */
  readonly only?: NamedList;
  readonly ignore?: NamedList;
  /** Asked before all others, in this order. */
  readonly order?: NamedList;
  /** Hosts outside `order` are not asked. */
  readonly onlyOrdered?: true;
  readonly maxPrice?: MaxPrice;
  /** Where the caller asked for hosts that do not train on what they are sent; hosts without this fact are not asked. */
  readonly noTraining?: string;
  /** The same for hosts that keep nothing of it. */
  readonly zeroRetention?: string;
  /** The same for hosts that work in one of these regions. */
  readonly regions?: NamedList;
  /** Everything in the request must be carried, as for strict callers. */
  readonly requireParameters?: true;
};
