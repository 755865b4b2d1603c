/** When a second request is due beside a late one, and whether one more may be afforded. */
import type { Hedging } from '../kernel/health.ts';
import { FirstTokens } from './first-tokens.ts';
import { TokenBucket } from './token-bucket.ts';

const MAX_MODELS = 4096;
/** What may be saved up for a bad moment. */
const CAPACITY = 20;
/** A little later than late: timers and measurements are not exact, and each mistake is a call. */
const SLACK = 1.2;

export class Hedges implements Hedging {
  readonly #models = new Map<string, FirstTokens>();
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
    const known = this.#models.get(modelId);
    if (known !== undefined) {
      known.note(firstTokenMs);
      return;
    }
    if (this.#models.size >= MAX_MODELS) this.#models.clear();
    const window = new FirstTokens();
    window.note(firstTokenMs);
    this.#models.set(modelId, window);
  }

  dueMs(modelId: string): number | undefined {
    const lateMs = this.#models.get(modelId)?.lateAfterMs();
    return lateMs === undefined ? undefined : lateMs * SLACK;
  }
}
