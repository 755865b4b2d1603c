/**
 * Bounds that keep an outage from multiplying load. Retries at the same provider: a percentage of the requests that
 * began there, and a small floor. Failover to another provider: bounded by the receiver, from a reserve that only failed
 * failovers spend and answered ones refill, so that a healthy provider takes over a burst of any size.
 */

import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { Hedging, RetryBudget } from '../../kernel/health.ts';
import { FirstTokens } from './first-tokens.ts';

const FLOOR = 3;
const FLOOR_PER_SECOND = 1;

export type RetryBudgetRules = {
  /** Retries for every hundred requests. */
  readonly budgetPercent: number;
  /** Most retries that are saved up. */
  readonly budgetSaved: number;
  /** Failed failovers a provider receives before further ones count as retries. */
  readonly failoverReserve: number;
};

export class RetryBudgets implements RetryBudget {
  readonly #rules: () => RetryBudgetRules;
  readonly #buckets = new Map<string, TokenBucket>();
  /** Failovers that failed at a provider and were not made up for by answered ones. */
  readonly #lost = new Map<string, number>();

  /** The number of configured hosts bounds both maps. */
  constructor(rules: () => RetryBudgetRules) {
    this.#rules = rules;
  }

  asked(provider: string): void {
    this.#of(provider).asked();
  }

  take(provider: string, nowMs: number): boolean {
    return this.#of(provider).take(nowMs);
  }

  receives(provider: string): boolean {
    return (this.#lost.get(provider) ?? 0) < this.#rules().failoverReserve;
  }

  received(provider: string, answered: boolean): void {
    const lost = (this.#lost.get(provider) ?? 0) + (answered ? -1 : 1);
    if (lost <= 0) this.#lost.delete(provider);
    else this.#lost.set(provider, Math.min(lost, this.#rules().failoverReserve));
  }

  /** How many retries are left now. */
  left(provider: string, nowMs: number): number {
    return this.#buckets.get(provider)?.left(nowMs) ?? FLOOR;
  }

  #of(provider: string): TokenBucket {
    const known = this.#buckets.get(provider);
    if (known !== undefined) return known;
    const bucket = new TokenBucket({
      share: () => this.#rules().budgetPercent / 100,
      capacity: () => this.#rules().budgetSaved,
      floor: FLOOR,
      floorPerSecond: FLOOR_PER_SECOND,
    });
    this.#buckets.set(provider, bucket);
    return bucket;
  }
}

// A bounded allowance for extra calls: every request adds a share of a token, every extra call takes a whole one. Time
// adds tokens only up to a small floor, so that an idle host has some. Time is a parameter.

export type BucketForm = {
  /** Extra calls per request, e.g. 0.1. */
  readonly share: () => number;
  /** Most tokens that can be saved up. */
  readonly capacity: () => number;
  /** The level that time alone refills it to, and that it starts with. */
  readonly floor: number;
  readonly floorPerSecond: number;
};

export class TokenBucket {
  readonly #form: BucketForm;
  #tokens: number;
  #filledAtMs = 0;

  constructor(form: BucketForm) {
    this.#form = form;
    this.#tokens = form.floor;
  }

  asked(): void {
    this.#tokens = Math.min(this.#form.capacity(), this.#tokens + this.#form.share());
  }

  left(nowMs: number): number {
    const { floor, floorPerSecond } = this.#form;
    const filled = this.#tokens + ((nowMs - this.#filledAtMs) / 1000) * floorPerSecond;
    return Math.max(this.#tokens, Math.min(floor, filled));
  }

  take(nowMs: number): boolean {
    this.#tokens = this.left(nowMs);
    this.#filledAtMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

// When a hedged request is due beside a late one, and whether the budget allows one.

const MAX_MODELS = 4096;
/** Hedged requests that can be saved up. */
const CAPACITY = 20;
/** Margin above the threshold: timers and measurements are not exact, and each mistake costs a call. */
const SLACK = 1.2;

export class Hedges implements Hedging {
  readonly #models = new BoundedMap<string, FirstTokens>(MAX_MODELS);
  readonly #guard: TokenBucket;

  constructor(share: () => number) {
    this.#guard = new TokenBucket({ share, capacity: () => CAPACITY, floor: 0, floorPerSecond: 0 });
  }

  asked(): void {
    this.#guard.asked();
  }

  take(nowMs: number): boolean {
    return this.#guard.take(nowMs);
  }

  began(modelId: string, firstTokenMs: number): void {
    this.#models.getOrInsertComputed(modelId, () => new FirstTokens()).note(firstTokenMs);
  }

  dueMs(modelId: string): number | undefined {
    const lateMs = this.#models.get(modelId)?.lateAfterMs();
    return lateMs === undefined ? undefined : lateMs * SLACK;
  }
}
