/**
 * Limits that several processes hold together. One owner counts each of them as a pool of units that come back with time (or
 * when a place is left); processes keep slices of it in hand and tell the owner what they used. What is in hand counts as
 * taken, so that all together never take more than there is.
 */
import { type LimitClaim, rateOf } from './claims.ts';
import { msPerUnit } from './gcra.ts';

export type LeaseRequest = {
  readonly name: string;
  /** What there is of it when nobody has taken any. */
  readonly capacity: number;
  /** How soon a used unit comes back; 0 where units are not used up, only held. */
  readonly msPerUnit: number;
  /** Since the last time; less than 0 when more was given back than used. */
  readonly used: number;
  /** How long ago the last of it was used. */
  readonly usedAgoMs: number;
  /** Stays in hand. */
  readonly keep: number;
  /** Wanted now, as much of it as there is. */
  readonly need: number;
  /** Wanted beside, if there is plenty. */
  readonly spare: number;
};

export type Grant = {
  readonly granted: number;
  /** What nobody has taken; less than 0 when more was used than there was. */
  readonly free: number;
};

export type Drawn = {
  /** How many have asked of late. */
  readonly processes: number;
  /** One for each ask, in their order. */
  readonly grants: readonly Grant[];
};

export interface LeaseSource {
  /** Rejects within a bound when the owner does not answer. One call at a time. */
  draw(process: string, asks: readonly LeaseRequest[]): Promise<Drawn>;
}

/** What is in hand may be used for so long; then the owner counts it as used, since whoever had it may be dead. */
export const LEASE_MS = 10_000;
/** A process that has not asked for so long is not counted any more. */
export const SEEN_MS = 5000;
/** Of what there is, nobody takes into hand beyond need. */
export const KEPT_BACK = 0.5;

const SLICES = 16;

export const leaseOf = (capacity: number): number => Math.floor(capacity / SLICES);

/** `shares`: owners who cannot count together each have their part. */
export const poolOf = (claim: LimitClaim, shares: number): Pick<LeaseRequest, 'name' | 'capacity' | 'msPerUnit'> => {
  const { name, measure, limit } = claim;
  if (measure === 'at-once') return { name, capacity: Math.max(1, Math.floor(limit / shares)), msPerUnit: 0 };
  const rate = rateOf(claim, shares);
  return { name, capacity: rate.burst, msPerUnit: msPerUnit(rate) };
};
