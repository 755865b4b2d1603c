/**
 * The lease server of shared limits, in the memory of one process. The Redis script implements the same; a test
 * compares both.
 */
import { type Drawn, type Grant, KEPT_BACK, LEASE_MS, type LeaseRequest, SEEN_MS } from './leases.ts';

type Lease = { readonly units: number; readonly untilMs: number };
type Pool = { paidAtMs: number; readonly leases: Map<string, Lease> };

/** Units are fractional because milliseconds are: a rounding error must not cost a whole unit. */
const ROUNDING = 1e-6;
/** Pools that are full and have no unexpired lease are removed once there are more pools than this. */
const SWEEP_AT = 10_000;

export class LeaseServer {
  readonly #pools = new Map<string, Pool>();
  readonly #seenAtMs = new Map<string, number>();
  #sweepAt = SWEEP_AT;

  draw(process: string, asks: readonly LeaseRequest[], nowMs: number): Drawn {
    this.#seenAtMs.set(process, nowMs);
    for (const [other, atMs] of this.#seenAtMs) if (atMs <= nowMs - SEEN_MS) this.#seenAtMs.delete(other);
    const grants = asks.map((ask) => grantOf(this.#poolOf(ask.name), process, ask, nowMs));
    if (this.#pools.size > this.#sweepAt) this.#sweep(nowMs);
    return { processes: this.#seenAtMs.size, grants };
  }

  get size(): number {
    return this.#pools.size;
  }

  #poolOf(name: string): Pool {
    const known = this.#pools.get(name);
    if (known !== undefined) return known;
    const pool: Pool = { paidAtMs: Number.NEGATIVE_INFINITY, leases: new Map() };
    this.#pools.set(name, pool);
    return pool;
  }

  #sweep(nowMs: number): void {
    for (const [name, { paidAtMs, leases }] of this.#pools)
      if (paidAtMs <= nowMs && [...leases.values()].every(({ untilMs }) => untilMs <= nowMs)) this.#pools.delete(name);
    this.#sweepAt = Math.max(SWEEP_AT, 2 * this.#pools.size);
  }
}

function grantOf(pool: Pool, process: string, ask: LeaseRequest, nowMs: number): Grant {
  const { capacity, msPerUnit, keep, need, spare } = ask;
  pool.leases.delete(process);
  let others = 0;
  for (const [other, { units, untilMs }] of pool.leases) {
    if (untilMs > nowMs) others += units;
    else {
      pool.leases.delete(other);
      pool.paidAtMs = Math.max(pool.paidAtMs, nowMs) + units * msPerUnit;
    }
  }
  if (ask.used !== 0) pool.paidAtMs = Math.max(pool.paidAtMs, nowMs - ask.usedAgoMs) + ask.used * msPerUnit;
  const level = msPerUnit === 0 ? 0 : Math.max(0, pool.paidAtMs - nowMs) / msPerUnit;
  const free = capacity - level - others - keep;
  const needed = Math.max(0, Math.floor(Math.min(need, free) + ROUNDING));
  const plenty = needed < need ? 0 : free - needed - capacity * KEPT_BACK;
  const granted = needed + Math.max(0, Math.floor(Math.min(spare, plenty) + ROUNDING));
  if (keep + granted > 0) pool.leases.set(process, { units: keep + granted, untilMs: nowMs + LEASE_MS });
  return { granted, free: free - granted };
}
