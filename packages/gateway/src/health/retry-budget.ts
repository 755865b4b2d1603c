/** How often requests that began at a host may be tried again: a share of them, and a small floor. An outage multiplies nothing. */
import type { RetryBudget } from '../kernel/health.ts';
import { TokenBucket } from './token-bucket.ts';

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
