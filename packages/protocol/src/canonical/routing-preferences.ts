/** The caller's routing preferences: which hosts, in which order, and what to do if one fails. */
export const STRATEGIES = ['priority', 'round_robin', 'least_latency'] as const;
export type Strategy = (typeof STRATEGIES)[number];

export const FACTORS = ['cost', 'speed', 'quality'] as const;
export type Factor = (typeof FACTORS)[number];

export const TASK_TYPES = ['chat', 'completion', 'embedding'] as const;
export type TaskType = (typeof TASK_TYPES)[number];

export const COMPLEXITIES = ['low', 'medium', 'high'] as const;
export type Complexity = (typeof COMPLEXITIES)[number];

/** What to do if a host refuses the request itself: return its answer, or try the next host or model. */
export const ON_REFUSALS = ['final', 'next'] as const;
export type OnRefusal = (typeof ON_REFUSALS)[number];

/** Maximum number of hosts or models in one preference. */
export const MAX_PREFERRED_NAMES = 64;

/** A host or model that the caller named, and the field it came from, for error messages. */
export type Named = { readonly name: string; readonly field: string };
export type NamedList = { readonly field: string; readonly names: readonly Named[] };

/** Highest catalogue prices in USD per million tokens, and the field where the caller wrote them. */
export type MaxPrice = {
  readonly field: string;
  readonly promptUsdPerMillion?: number;
  readonly completionUsdPerMillion?: number;
};

/** Lists are never empty: if the caller names nothing, the member is absent. */
export type RoutingPreferences = {
  readonly strategy?: Strategy;
  readonly factor?: Factor;
  /** Only these hosts are tried. */
  readonly providers?: NamedList;
  /** `true`, `false`, or the only host to fall back to. */
  readonly fallback?: Named;
  /** Only these models are tried. */
  readonly models?: NamedList;
  readonly preference?: Named;
  /** The task type, for choosing among models. */
  readonly taskType?: TaskType;
  readonly complexity?: Complexity;
  readonly onRefusal?: OnRefusal;
  /** Only these hosts are tried; the list does not set an order. */
  readonly only?: NamedList;
  readonly ignore?: NamedList;
  /** Tried before all others, in this order. */
  readonly order?: NamedList;
  /** Hosts outside `order` are not tried. */
  readonly onlyOrdered?: true;
  readonly maxPrice?: MaxPrice;
  /**
   * The field where the caller asked for hosts that do not train on requests; hosts without this fact are not tried.
   */
  readonly noTraining?: string;
  /** The same for hosts with zero data retention. */
  readonly zeroRetention?: string;
  /** The same for hosts in one of these regions. */
  readonly regions?: NamedList;
  /** The host must support every parameter of the request, as for strict callers. */
  readonly requireParameters?: true;
};
