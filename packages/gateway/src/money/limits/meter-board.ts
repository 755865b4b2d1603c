/** Rate limits of this process, by name. A request's claims are taken together: all of them or none. */
import { paidAfter, type RateLimit, waitFor } from './gcra.ts';

/** Units claimed from one limit. */
export type MeterClaim = { readonly name: string; readonly rate: RateLimit; readonly units: number };

export type MeterRefusal<C extends MeterClaim = MeterClaim> = { readonly claim: C; readonly waitMs: number };

/** Fully restored limits carry no state; above this many limits they are removed. */
const SWEEP_AT = 10_000;

export class MeterBoard {
  readonly #paidAtMs = new Map<string, number>();
  #sweepAt = SWEEP_AT;

  /** The claim with the longest wait, or undefined if all were taken. */
  take<C extends MeterClaim>(claims: readonly C[], nowMs: number): MeterRefusal<C> | undefined {
    let worst: MeterRefusal<C> | undefined;
    for (const claim of claims) {
      const waitMs = waitFor(this.paidAtMs(claim.name), nowMs, claim.units, claim.rate);
      if (waitMs > (worst?.waitMs ?? 0)) worst = { claim, waitMs };
    }
    if (worst !== undefined) return worst;
    for (const claim of claims) this.charge(claim, nowMs);
    return undefined;
  }

  /** Corrects a claim: units beyond it are a debt that delays later claims, unused units are returned. */
  charge({ name, rate, units }: MeterClaim, nowMs: number): void {
    this.#paidAtMs.set(name, paidAfter(this.paidAtMs(name), nowMs, units, rate));
    if (this.#paidAtMs.size > this.#sweepAt) this.#sweep(nowMs);
  }

  paidAtMs(name: string): number {
    return this.#paidAtMs.get(name) ?? Number.NEGATIVE_INFINITY;
  }

  get size(): number {
    return this.#paidAtMs.size;
  }

  #sweep(nowMs: number): void {
    for (const [name, paidAtMs] of this.#paidAtMs) if (paidAtMs <= nowMs) this.#paidAtMs.delete(name);
    this.#sweepAt = Math.max(SWEEP_AT, 2 * this.#paidAtMs.size);
  }
}
