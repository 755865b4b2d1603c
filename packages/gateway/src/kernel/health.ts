/** Knowledge of targets from earlier calls: circuit breakers, latencies, and who may have a prompt in its cache. */
import type { Kind, Latency } from './route.ts';

/**
 * How a call to a target ended, as far as the target is responsible: `stalled` is a failure by silence, `unwelcome` a
 * rejected credential, `over-rate` an exhausted rate limit of our credential; `unjudged` says nothing (the caller left,
 * or erred).
 */
export type HealthOutcome = 'answered' | 'failed' | 'stalled' | 'unwelcome' | 'over-rate' | 'unjudged';

/** Circuit breakers, by `routeKey`. Times are monotonic. */
export interface Health {
  /** Milliseconds until the circuit breaker lets calls through; 0 for targets in service. */
  cooldownMs(routeKey: string, nowMs: number): number;
  /**
   * A call goes there now, and a report will follow. After an outage this call is the trial: until its report the
   * target stays out for other calls.
   */
  enter(routeKey: string, nowMs: number): void;
  /** An answer has started. */
  begun(routeKey: string, nowMs: number): void;
  /** Once for every call; `retryAfterMs` if the upstream asked for a pause. */
  report(routeKey: string, verdict: HealthOutcome, nowMs: number, retryAfterMs?: number): void;
}

/**
 * Tells other nodes which targets are out of service here; they may take them out, too, and must probe them themselves.
 */
export interface HealthHints {
  tell(routeKey: string, forMs: number): void;
}

/** Bounds on further attempts: more upstream calls than caller requests. */
export interface RetryBudget {
  asked(provider: string): void;
  /** Another attempt of a request that began at this provider. */
  take(provider: string, nowMs: number): boolean;
  /** Whether this provider takes requests that failed at another one. */
  receives(provider: string): boolean;
  /** How such a request ended there. */
  received(provider: string, answered: boolean): void;
}

/** When a second request beside a slow one is due, and whether the budget allows it. */
export interface Hedging {
  began(modelId: string, firstTokenMs: number): void;
  /** A request that asks for hedging. */
  asked(): void;
  /** In ms after the first was sent; undefined while too little is known of the model. */
  dueMs(modelId: string): number | undefined;
  take(nowMs: number): boolean;
}

/** Turn counters for round-robin over sets of hosts. */
export interface RoundRobin {
  next(set: string): number;
  /** What `next` would return, without taking a turn. */
  peek(set: string): number;
}

/** Time to first token of hosts. Times are monotonic. */
export interface LatencyMemory {
  asked(routeKey: string): void;
  over(routeKey: string): void;
  began(routeKey: string, kind: Kind, firstTokenMs: number, nowMs: number): void;
  of(routeKey: string, kind: Kind, nowMs: number): Latency;
}

/** Which host was sent a prompt lately, and may have it in its cache. A lost entry costs a discount. */
export interface CacheMemory {
  keep(promptKey: string, routeKey: string, untilMs: number): void;
  find(promptKey: string, nowMs: number): string | undefined;
}

/** Why a circuit breaker opened. */
export const WHYS_OUT = ['failures', 'stalls', 'credential', 'rate', 'hint'] as const;
export type WhyOut = (typeof WHYS_OUT)[number];

export type HealthChange = { readonly routeKey: string } & (
  | { readonly now: 'out'; readonly why: WhyOut; readonly forMs: number }
  | { readonly now: 'back' }
);
