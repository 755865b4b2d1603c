/** When a second request is due beside a late one, and whether one more may be afforded. */
import { BoundedMap } from '../kernel/bounded-map.ts';
import type { Hedging } from '../kernel/health.ts';
import { FirstTokens } from './first-tokens.ts';
import { TokenBucket } from './token-bucket.ts';

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
