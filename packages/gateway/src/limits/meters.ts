/** Where claims are counted: in this process alone, or together with others. */
import type { RateFigure } from '@trivium/protocol/dialects';
import type { LimitClaim, LimitRefusal } from './claims.ts';

export interface Meters {
  /** All claims or none. Undefined when they were taken; a promise, which never rejects, only where somebody has to be asked. */
  take(claims: readonly LimitClaim[]): LimitRefusal | undefined | Promise<LimitRefusal | undefined>;
  /** More than was claimed is a debt that later claims wait for, less is given back. */
  correct(claim: LimitClaim, units: number): void;
  /** A place among those that run is free again. */
  leave(claim: LimitClaim): void;
  /** What could be taken at once now, and when all of it could. */
  figureOf(claim: LimitClaim): RateFigure;
}

/** How many run now, by the limit that counts them. */
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
