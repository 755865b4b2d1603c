/** Where claims are counted: in this process alone, or together with others. */
import type { RateFigure } from '@trivium/protocol/dialects';
import type { LimitClaim, LimitRefusal } from './claims.ts';

export interface Meters {
  /**
   * Takes all claims or none. Undefined if taken; a promise, which never rejects, only if the lease server must be
   * asked.
   */
  take(claims: readonly LimitClaim[]): LimitRefusal | undefined | Promise<LimitRefusal | undefined>;
  /** Units beyond the claim are a debt that delays later claims; unused units are returned. */
  correct(claim: LimitClaim, units: number): void;
  /** A concurrency slot is free again. */
  leave(claim: LimitClaim): void;
  /** What could be taken now, and when the limit will be fully restored. */
  figureOf(claim: LimitClaim): RateFigure;
}

/** Running requests, by the limit that counts them. */
export class RunningCounts {
  readonly #byName = new Map<string, number>();

  of(name: string): number {
    return this.#byName.get(name) ?? 0;
  }

  enter(name: string): void {
    this.#byName.set(name, this.of(name) + 1);
  }

  leave(name: string): void {
    const left = this.of(name) - 1;
    if (left > 0) this.#byName.set(name, left);
    else this.#byName.delete(name);
  }
}
