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

/** Lists are never empty: whoever names nothing has no wish. */
export type RoutingWishes = {
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
};
