/** What is known of targets from earlier calls: who is out of service, how fast they are, who may hold a prompt in its cache. */
import type { Kind, Latency } from '../routing/latency-statistics.ts';

/**
 * How a call at a target ended, as far as the target is to blame: `stalled` is a failure by silence, `unwelcome` our
 * credential refused, `over-rate` our credential used up, and `unjudged` says nothing (the caller left, or erred).
 */
export type HealthOutcome = 'answered' | 'failed' | 'stalled' | 'unwelcome' | 'over-rate' | 'unjudged';

/** What is known of targets from the calls so far, by their `routeKey`. Times are monotonic. */
export interface Health {
  /** Milliseconds until the circuit breaker lets calls through; 0 for targets in service. */
  outForMs(routeKey: string, nowMs: number): number;
  /** A call goes there now, and a report will follow. A target whose time is over is on trial until then: out for others. */
  enter(routeKey: string, nowMs: number): void;
  /** An answer has begun. */
  begun(routeKey: string, nowMs: number): void;
  /** Once for every call; `retryAfterMs` where the upstream asked for patience. */
  report(routeKey: string, verdict: HealthOutcome, nowMs: number, retryAfterMs?: number): void;
}

/** Tells other nodes who was taken out here; they may take it out, too, and must try it for themselves. */
export interface HealthHints {
  tell(routeKey: string, forMs: number): void;
}

/** The right to ask more often than callers do, by the host a request began at. */
export interface RetryBudget {
  asked(provider: string): void;
  take(provider: string, nowMs: number): boolean;
}

/** When a second request beside a late one is due, and whether it may be afforded. */
export interface Hedging {
  began(modelId: string, firstTokenMs: number): void;
  /** A request that wants hedging. */
  asked(): void;
  /** From the sending of the first; undefined while too little is known of the model. */
  dueMs(modelId: string): number | undefined;
  take(nowMs: number): boolean;
}

/** How often a set of hosts has been gone round. */
export interface RoundRobin {
  next(set: string): number;
  /** What `next` would say, without a turn being taken. */
  peek(set: string): number;
}

/** How soon hosts begin to answer. Times are monotonic. */
export interface LatencyMemory {
  asked(routeKey: string): void;
  over(routeKey: string): void;
  began(routeKey: string, kind: Kind, firstTokenMs: number, nowMs: number): void;
  of(routeKey: string, kind: Kind, nowMs: number): Latency;
}

/** Who was given a prompt lately, and may hold it in a cache. Forgetting costs a discount. */
export interface CacheMemory {
  keep(promptKey: string, routeKey: string, untilMs: number): void;
  find(promptKey: string, nowMs: number): string | undefined;
}
