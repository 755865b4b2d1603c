/**
 * Limits shared by several processes. One lease server (the owner) counts each limit as a pool of units that come back
 * with time (or, for concurrency, when a slot is released). Processes lease units and report what they used. Leased
 * units count as taken, so that all processes together never exceed the limit.
 */
import { type LimitClaim, rateOf } from './claims.ts';
import { msPerUnit } from './gcra.ts';

export type LeaseRequest = {
  readonly name: string;
  /** Size of the full pool. */
  readonly capacity: number;
  /** Time until a used unit comes back, in ms; 0 for concurrency, where units are only held. */
  readonly msPerUnit: number;
  /** Since the last report; negative if more was returned than used. */
  readonly used: number;
  /** Age in ms of the last use. */
  readonly usedAgoMs: number;
  /** Leased units that the process keeps. */
  readonly keep: number;
  /** Units needed now; partial grants are fine. */
  readonly need: number;
  /** Further units to lease if plenty are free. */
  readonly spare: number;
};

export type Grant = {
  readonly granted: number;
  /** Units that no process has taken; negative if more was used than available. */
  readonly free: number;
};

export type Drawn = {
  /** Number of processes that asked within `SEEN_MS`. */
  readonly processes: number;
  /** One grant per request, in order. */
  readonly grants: readonly Grant[];
};

export interface LeaseSource {
  /** Rejects within a bounded time when the lease server does not answer. One call at a time. */
  draw(process: string, asks: readonly LeaseRequest[]): Promise<Drawn>;
}

/** Lifetime of a lease. After it the lease server counts the units as used, since the process may be dead. */
export const LEASE_MS = 10_000;
/** A process that has not asked for this long is no longer counted. */
export const SEEN_MS = 5000;
/** Fraction of a pool that is only granted for need, never as spare. */
export const KEPT_BACK = 0.5;

const SLICES = 16;

export const leaseOf = (capacity: number): number => Math.floor(capacity / SLICES);

/** `shares`: number of lease servers that each own an equal part of the limit. */
export const poolOf = (claim: LimitClaim, shares: number): Pick<LeaseRequest, 'name' | 'capacity' | 'msPerUnit'> => {
  const { name, measure, limit } = claim;
  if (measure === 'at-once') return { name, capacity: Math.max(1, Math.floor(limit / shares)), msPerUnit: 0 };
  const rate = rateOf(claim, shares);
  return { name, capacity: rate.burst, msPerUnit: msPerUnit(rate) };
};
