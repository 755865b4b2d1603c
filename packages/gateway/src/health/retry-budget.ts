/** How often requests that began at a host may be tried again: a share of them, and a small floor. An outage multiplies nothing. */

import { BoundedMap } from '../kernel/bounded-map.ts';
import type { Hedging, RetryBudget } from '../kernel/health.ts';
import { FirstTokens } from './first-tokens.ts';

const FLOOR = 3;
const FLOOR_PER_SECOND = 1;

export type RetryBudgetRules = {
  /** Retries for every hundred requests. */
  readonly budgetPercent: number;
  /** As many requests may be under way when a host fails, and move elsewhere at once. */
  readonly budgetSaved: number;
};

export class RetryBudgets implements RetryBudget {
  readonly #rules: () => RetryBudgetRules;
  readonly #buckets = new Map<string, TokenBucket>();

  /** The number of hosts is the operator's, so it bounds the map. */
  constructor(rules: () => RetryBudgetRules) {
    this.#rules = rules;
  }

  asked(provider: string): void {
    this.#of(provider).asked();
  }

  take(provider: string, nowMs: number): boolean {
    return this.#of(provider).take(nowMs);
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

// A bounded right to do more than was asked for: every request brings a share of a token, every extra call takes a whole
// one. Time brings tokens only up to a small floor, so that a quiet host has any. Time is handed in.

export type BucketForm = {
  /** Extra calls for each request, e.g. 0.1. */
  readonly share: () => number;
  /** Most that can be saved up. */
  readonly capacity: () => number;
  /** What time alone fills it to, and it begins with. */
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

// When a second request is due beside a late one, and whether one more may be afforded.

const MAX_MODELS = 4096;
/** What may be saved up for a bad moment. */
const CAPACITY = 20;
/** A little later than late: timers and measurements are not exact, and each mistake is a call. */
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
