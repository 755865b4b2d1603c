/**
 * One process's lease of one shared limit: units to admit with locally, and used units not reported to the lease server
 * yet.
 */
import type { RateFigure } from '@trivium/protocol/dialects';
import type { LimitClaim } from './claims.ts';
import { type Grant, type LeaseRequest, leaseOf, poolOf } from './leases.ts';

/** A refusal is cached for this long: at a limit there are many more requests than units. */
const REFUSED_MS = 200;
const LEASE_LEFT_MS = 5000;

export class TokenLease {
  readonly name: string;
  #limit = 0;
  #burst: number | undefined;
  #capacity = 0;
  #msPerUnit = 0;
  #slice = 0;
  #units = 0;
  #leaseEndsMs = Number.NEGATIVE_INFINITY;
  /** Units that the lease server counts as leased to this process. */
  #lent = 0;
  #isReturned = false;
  #used = 0;
  #usedAtMs = 0;
  #touchedAtMs: number;
  /** Free units as the lease server last reported; grows with time. */
  #free = 0;
  #knownAtMs = Number.NEGATIVE_INFINITY;
  #refusedUnits = 0;
  #refusedUntilMs = Number.NEGATIVE_INFINITY;
  #readyAtMs = 0;

  constructor(claim: LimitClaim, owners: number, nowMs: number) {
    this.name = claim.name;
    this.#touchedAtMs = nowMs;
    this.shape(claim, owners);
  }

  /** Applies changed rules. */
  shape(claim: LimitClaim, owners: number): void {
    const limit = claim.limit / owners;
    if (limit === this.#limit && claim.burst === this.#burst) return;
    const { capacity, msPerUnit } = poolOf(claim, owners);
    this.#limit = limit;
    this.#burst = claim.burst;
    this.#capacity = capacity;
    this.#msPerUnit = msPerUnit;
    this.#slice = leaseOf(capacity);
  }

  get hasUnreported(): boolean {
    return this.#used !== 0 || this.#isReturned;
  }

  get isEmpty(): boolean {
    return this.#units === 0 && this.#used === 0 && this.#lent === 0;
  }

  /** More units than are worth keeping from other processes. */
  get hasSurplus(): boolean {
    return this.#units > this.#slice;
  }

  inHand(nowMs: number): number {
    return nowMs < this.#leaseEndsMs ? this.#units : 0;
  }

  idleForMs(nowMs: number): number {
    return nowMs - this.#touchedAtMs;
  }

  mustRenew(running: number, nowMs: number): boolean {
    return (this.#units > 0 || running > 0) && this.#leaseEndsMs - nowMs < LEASE_LEFT_MS;
  }

  /** True when it is time to ask for more. */
  spend(units: number, nowMs: number): boolean {
    this.#units -= units;
    this.#touchedAtMs = nowMs;
    if (this.#msPerUnit > 0) this.#note(units, nowMs);
    return this.#units < this.#slice / 2;
  }

  correct(units: number, nowMs: number): void {
    this.#touchedAtMs = nowMs;
    this.#note(units, nowMs);
    if (units < 0) this.#refusedUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** Units used while counting alone, with one of `shares`: reports at most this share's full capacity. */
  noteAlone(units: number, shares: number, nowMs: number): void {
    const before = this.#used;
    this.correct(units, nowMs);
    this.#used = Math.min(this.#used, Math.max(before, this.#capacity / shares));
  }

  /** Slots that were released. True when there are more than are worth keeping. */
  takeBack(units: number, nowMs: number): boolean {
    this.#touchedAtMs = nowMs;
    this.#refusedUntilMs = Number.NEGATIVE_INFINITY;
    if (nowMs >= this.#leaseEndsMs) return false;
    this.#units += units;
    return this.hasSurplus;
  }

  handBack(): void {
    if (this.#units > 0) this.#isReturned = true;
    this.#units = 0;
    this.#knownAtMs = Number.NEGATIVE_INFINITY;
  }

  /** The lease server is gone, and its leases with it. */
  lose(): void {
    this.handBack();
    this.#isReturned = false;
    this.#lent = 0;
    this.#leaseEndsMs = Number.NEGATIVE_INFINITY;
    this.#refusedUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** 0 unless this many units, or fewer, were refused within `REFUSED_MS`; Infinity beyond the capacity. */
  knownWaitMs(units: number, nowMs: number): number {
    if (units > this.#capacity) return Number.POSITIVE_INFINITY;
    return nowMs < this.#refusedUntilMs && units >= this.#refusedUnits ? Math.max(1, this.#readyAtMs - nowMs) : 0;
  }

  ask(need: number, running: number, nowMs: number): LeaseRequest {
    if (need > 0) this.#touchedAtMs = nowMs;
    if (nowMs >= this.#leaseEndsMs) this.#units = 0;
    // Keeps what waiting requests need and one lease's worth; returns the rest.
    this.#units = Math.min(this.#units, need + this.#slice);
    const left = Math.max(0, this.#units - need);
    const isIdle = this.#knownAtMs === Number.NEGATIVE_INFINITY && need === 0;
    const ask: LeaseRequest = {
      name: this.name,
      capacity: this.#capacity,
      msPerUnit: this.#msPerUnit,
      used: this.#used,
      usedAgoMs: this.#used === 0 ? 0 : Math.max(0, nowMs - this.#usedAtMs),
      keep: this.#units + (this.#msPerUnit === 0 ? running : 0),
      need: Math.max(0, need - this.#units),
      spare: isIdle ? 0 : Math.max(0, this.#slice - left),
    };
    this.#used = 0;
    this.#isReturned = false;
    return ask;
  }

  /** The report may or may not have arrived: counts it again, to be on the safe side. */
  reportFailed({ used }: LeaseRequest): void {
    this.#used += used;
  }

  take({ granted, free }: Grant, { keep }: LeaseRequest, leaseEndsMs: number, nowMs: number): void {
    this.#units += granted;
    this.#lent = keep + granted;
    this.#leaseEndsMs = leaseEndsMs;
    this.#free = free;
    this.#knownAtMs = nowMs;
  }

  /** Wait in ms until `units` are available; the refusal is cached for up to 200 ms. 0 if available locally. */
  refuse(units: number, placeWaitMs: number, nowMs: number): number {
    const missing = units - this.inHand(nowMs);
    if (missing <= 0) return 0;
    const waitMs = this.#msPerUnit === 0 ? placeWaitMs : Math.max(1, (missing - this.#free) * this.#msPerUnit);
    this.#refusedUnits = units;
    this.#refusedUntilMs = nowMs + Math.min(waitMs, REFUSED_MS);
    this.#readyAtMs = nowMs + waitMs;
    return waitMs;
  }

  /** `limit`: as the operator configured it, for all lease servers together. */
  figure(limit: number, nowMs: number): RateFigure {
    const cameBack = this.#msPerUnit === 0 ? 0 : (nowMs - this.#knownAtMs) / this.#msPerUnit;
    const left = Math.max(0, Math.min(this.#capacity, this.#free + cameBack + this.inHand(nowMs)));
    return { limit, remaining: Math.floor(left), resetMs: (this.#capacity - left) * this.#msPerUnit };
  }

  #note(units: number, nowMs: number): void {
    this.#used += units;
    this.#usedAtMs = nowMs;
  }
}
