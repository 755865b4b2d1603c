/**
 * Limits shared with other processes: decided from locally leased units until a lease is used up; then one call asks
 * the lease server (the limits' owner) on behalf of all waiting requests. While it does not answer, this process
 * enforces its share.
 */
import type { RateFigure } from '@trivium/protocol/dialects';
import { type LimitClaim, type LimitRefusal, PLACE_WAIT_MS } from './claims.ts';
import { type Drawn, LEASE_MS, type LeaseSource } from './leases.ts';
import { LocalMeters } from './local-meters.ts';
import { type Meters, RunningCounts } from './meters.ts';
import { TokenLease } from './token-lease.ts';

export type LeasedMetersPorts = {
  readonly source: LeaseSource;
  /** Unique name of this process among those that share the limits. */
  readonly process: string;
  readonly monotonicMs: () => number;
  /** Runs the work later, but before any other I/O is awaited. */
  readonly soon: (work: () => void) => void;
  /** Number of lease servers that each own a part of every limit. */
  readonly owners: () => number;
  /** Lowest number of processes to divide limits by while the lease server does not answer. */
  readonly leastProcesses: () => number;
  readonly onChange?: (isShared: boolean, problem?: unknown) => void;
};

/** Interval of reports to the lease server. */
export const TICK_MS = 250;
/** Interval of retries while the lease server does not answer. */
const RETRY_MS = 1000;
/**
 * Heartbeat interval without anything to report: the server counts processes, and the process notices a dead server.
 */
const BEAT_MS = 1000;
/** Units unused for this long are returned. */
const IDLE_MS = 3000;
/** Maximum of limits per report; the others follow in the next. */
const MAX_REPORTED = 500;

/** Waiting requests; bounded by `limits.inFlight`. */
type Waiter = { readonly claims: readonly LimitClaim[]; readonly resolve: (refusal: LimitRefusal | undefined) => void };

export class LeasedMeters implements Meters {
  readonly #ports: LeasedMetersPorts;
  readonly #running = new RunningCounts();
  readonly #alone: LocalMeters;
  readonly #slices = new Map<string, TokenLease>();
  readonly #due = new Set<TokenLease>();
  #waiting: Waiter[] = [];
  #isShared = true;
  #asking: Promise<void> | undefined;
  #isScheduled = false;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #processes = 1;
  #waits = 0;

  constructor(ports: LeasedMetersPorts) {
    this.#ports = ports;
    this.#alone = new LocalMeters(ports.monotonicMs, () => this.#shares, this.#running);
  }

  /** False while this process enforces its share by itself. */
  get isShared(): boolean {
    return this.#isShared;
  }

  /** Requests that had to wait for the lease server. */
  get waits(): number {
    return this.#waits;
  }

  take(claims: readonly LimitClaim[]): LimitRefusal | undefined | Promise<LimitRefusal | undefined> {
    if (!this.#isShared) return this.#takeAlone(claims);
    const nowMs = this.#ports.monotonicMs();
    const slices: TokenLease[] = [];
    let isCovered = true;
    for (const claim of claims) {
      const slice = this.#leaseOf(claim);
      slices.push(slice);
      if (slice.inHand(nowMs) >= claim.units) continue;
      const waitMs = slice.knownWaitMs(claim.units, nowMs);
      if (waitMs > 0) return { claim, waitMs };
      isCovered = false;
    }
    if (isCovered) {
      this.#spend(claims, slices, nowMs);
      return undefined;
    }
    this.#waits++;
    return new Promise((resolve) => {
      this.#waiting.push({ claims, resolve });
      this.#askSoon();
    });
  }

  correct(claim: LimitClaim, units: number): void {
    this.#knownLeaseOf(claim).correct(units, this.#ports.monotonicMs());
    if (!this.#isShared) this.#alone.correct(claim, units);
  }

  leave(claim: LimitClaim): void {
    this.#running.leave(claim.name);
    const slice = this.#knownLeaseOf(claim);
    if (this.#isShared && slice.takeBack(1, this.#ports.monotonicMs())) this.#isDue(slice);
  }

  figureOf(claim: LimitClaim): RateFigure {
    if (!this.#isShared) return this.#alone.figureOf(claim);
    return this.#leaseOf(claim).figure(claim.limit, this.#ports.monotonicMs());
  }

  /** Call every `TICK_MS`. Resolves when the lease server has received the report. */
  async tick(): Promise<void> {
    const nowMs = this.#ports.monotonicMs();
    if (!this.#isShared && nowMs < this.#askedAtMs + RETRY_MS) return;
    for (const [name, slice] of this.#slices) {
      const running = this.#running.of(name);
      const isIdle = slice.idleForMs(nowMs) > IDLE_MS;
      if (isIdle) slice.handBack();
      if (slice.hasUnreported || slice.hasSurplus || slice.mustRenew(running, nowMs)) this.#due.add(slice);
      else if (isIdle && slice.isEmpty && running === 0) this.#slices.delete(name);
    }
    if (this.#due.size === 0 && this.#waiting.length === 0 && nowMs < this.#askedAtMs + BEAT_MS) return;
    await this.#ask(true);
  }

  /** Returns all leased units, so that other processes need not wait for their expiry. */
  async close(): Promise<void> {
    await this.#asking;
    if (!this.#isShared) return;
    for (const slice of this.#slices.values()) {
      slice.handBack();
      this.#due.add(slice);
    }
    await this.#ask(false);
  }

  /** By how many a limit is divided when processes do not count together. */
  get #shares(): number {
    return Math.max(this.#ports.leastProcesses(), this.#processes * this.#ports.owners());
  }

  #takeAlone(claims: readonly LimitClaim[]): LimitRefusal | undefined {
    const refusal = this.#alone.take(claims);
    if (refusal !== undefined) return refusal;
    // Reported when the lease server is back, so that an outage does not grant a limit twice.
    for (const claim of claims)
      if (claim.measure !== 'at-once')
        this.#leaseOf(claim).noteAlone(claim.units, this.#shares, this.#ports.monotonicMs());
    return undefined;
  }

  /** `slices`: the lease of each claim, in order. */
  #spend(claims: readonly LimitClaim[], slices: readonly TokenLease[], nowMs: number): void {
    for (let index = 0; index < claims.length; index++) {
      const { measure, name, units } = claims[index]!;
      const slice = slices[index]!;
      if (measure === 'at-once') this.#running.enter(name);
      if (slice.spend(units, nowMs)) this.#isDue(slice);
    }
  }

  /** Created when first needed, and updated to the current rules. */
  #leaseOf(claim: LimitClaim): TokenLease {
    let slice = this.#slices.get(claim.name);
    if (slice === undefined) {
      slice = new TokenLease(claim, this.#ports.owners(), this.#ports.monotonicMs());
      this.#slices.set(claim.name, slice);
    } else slice.shape(claim, this.#ports.owners());
    return slice;
  }

  /** For a request that ends: its claim states the rules of the time it was admitted. */
  #knownLeaseOf(claim: LimitClaim): TokenLease {
    return this.#slices.get(claim.name) ?? this.#leaseOf(claim);
  }

  #isDue(slice: TokenLease): void {
    this.#due.add(slice);
    this.#askSoon();
  }

  #askSoon(): void {
    if (this.#asking !== undefined || this.#isScheduled) return;
    this.#isScheduled = true;
    this.#ports.soon(() => {
      this.#isScheduled = false;
      void this.#ask(false);
    });
  }

  /** One call at a time, as long as there is something to ask: the number of leased units must be known exactly. */
  #ask(evenIfNothing: boolean): Promise<void> {
    if (this.#asking === undefined && (evenIfNothing || this.#hasQuestions)) this.#asking = this.#askAll();
    return this.#asking ?? Promise.resolve();
  }

  get #hasQuestions(): boolean {
    return this.#waiting.length > 0 || this.#due.size > 0;
  }

  async #askAll(): Promise<void> {
    try {
      while ((await this.#askOnce()) && this.#hasQuestions);
    } finally {
      // In the same turn as the last check of `#hasQuestions`: later requests must not rely on this round.
      this.#asking = undefined;
    }
  }

  async #askOnce(): Promise<boolean> {
    const { source, process, monotonicMs } = this.#ports;
    const waiters = this.#waiting;
    this.#waiting = [];
    const needs = this.#needsOf(waiters);
    const askedAtMs = monotonicMs();
    this.#askedAtMs = askedAtMs;
    const reported = [...needs.keys()];
    for (const slice of this.#due) {
      if (reported.length >= MAX_REPORTED + needs.size) break;
      if (!needs.has(slice)) reported.push(slice);
      this.#due.delete(slice);
    }
    const asks = reported.map((slice) => slice.ask(needs.get(slice) ?? 0, this.#running.of(slice.name), askedAtMs));
    let drawn: Drawn;
    try {
      drawn = await source.draw(process, asks);
    } catch (problem) {
      for (const [index, slice] of reported.entries()) slice.reportFailed(asks[index]!);
      this.#goAlone(waiters, problem);
      return false;
    }
    this.#goShared(drawn.processes);
    for (const [index, slice] of reported.entries())
      slice.take(drawn.grants[index]!, asks[index]!, askedAtMs + LEASE_MS, monotonicMs());
    for (const waiter of waiters) waiter.resolve(this.#decide(waiter.claims));
    return true;
  }

  #needsOf(waiters: readonly Waiter[]): Map<TokenLease, number> {
    const needs = new Map<TokenLease, number>();
    for (const { claims } of waiters)
      for (const claim of claims) {
        const slice = this.#leaseOf(claim);
        needs.set(slice, (needs.get(slice) ?? 0) + claim.units);
      }
    return needs;
  }

  /** Decides with the new grants, in the order the requests came. */
  #decide(claims: readonly LimitClaim[]): LimitRefusal | undefined {
    const nowMs = this.#ports.monotonicMs();
    const slices = claims.map((claim) => this.#leaseOf(claim));
    let worst: LimitRefusal | undefined;
    for (const [index, claim] of claims.entries()) {
      const waitMs = slices[index]!.refuse(claim.units, PLACE_WAIT_MS, nowMs);
      if (waitMs > (worst?.waitMs ?? 0)) worst = { claim, waitMs };
    }
    if (worst === undefined) this.#spend(claims, slices, nowMs);
    // Units granted in vain are returned at once.
    else for (const slice of slices) if (slice.hasSurplus) this.#due.add(slice);
    return worst;
  }

  #goAlone(waiters: readonly Waiter[], problem: unknown): void {
    for (const slice of this.#slices.values()) slice.lose();
    this.#due.clear();
    const wasShared = this.#isShared;
    this.#isShared = false;
    if (wasShared) this.#ports.onChange?.(false, problem);
    const all = [...waiters, ...this.#waiting];
    this.#waiting = [];
    for (const { claims, resolve } of all) resolve(this.#takeAlone(claims));
  }

  #goShared(processes: number): void {
    this.#processes = Math.max(1, processes);
    if (this.#isShared) return;
    this.#isShared = true;
    // Units used while this process counted alone.
    for (const slice of this.#slices.values()) this.#due.add(slice);
    this.#ports.onChange?.(true);
  }
}
