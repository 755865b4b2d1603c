/**
 * Limits held together with other processes: decided from slices in hand, without asking anybody, until a slice is used up; then
 * the owner of the limits is asked for all who wait, at once. Where the owner does not answer, this process enforces its share.
 */
import type { RateFigure } from '@trivium/protocol/dialects';
import { type LimitClaim, type LimitRefusal, PLACE_WAIT_MS } from './claims.ts';
import { type Drawn, LEASE_MS, type LeaseSource } from './leases.ts';
import { LocalMeters } from './local-meters.ts';
import { type Meters, RunningCounts } from './meters.ts';
import { TokenLease } from './token-lease.ts';

export type LeasedMetersPorts = {
  readonly source: LeaseSource;
  /** Names this process among those that share the limits. */
  readonly process: string;
  readonly monotonicMs: () => number;
  /** Later, but before anything else is waited for. */
  readonly soon: (work: () => void) => void;
  /** How many owners have a part of each limit. */
  readonly owners: () => number;
  /** Least number of processes to divide limits by, while the owner does not answer. */
  readonly leastProcesses: () => number;
  readonly onChange?: (isShared: boolean, problem?: unknown) => void;
};

/** Told so often what was used; asked so often whether it is back. */
export const TICK_MS = 250;
const RETRY_MS = 1000;
/** Without anything to tell: so that the owner knows how many we are, and we whether it lives. */
const BEAT_MS = 1000;
/** What nobody has used for so long goes back. */
const IDLE_MS = 3000;
/** Limits told about at once; the others follow. */
const MAX_TOLD = 500;

/** As many as requests run, so `limits.inFlight` bounds them. */
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

  /** Requests that had to wait for an answer. */
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
    this.#leaseOf(claim).correct(units, this.#ports.monotonicMs());
    if (!this.#isShared) this.#alone.correct(claim, units);
  }

  leave(claim: LimitClaim): void {
    this.#running.leave(claim.name);
    const slice = this.#leaseOf(claim);
    if (this.#isShared && slice.takeBack(1, this.#ports.monotonicMs())) this.#isDue(slice);
  }

  figureOf(claim: LimitClaim): RateFigure {
    if (!this.#isShared) return this.#alone.figureOf(claim);
    return this.#leaseOf(claim).figure(claim.limit, this.#ports.monotonicMs());
  }

  /** To be called every `TICK_MS`. Resolves when the owner has been told what there was to tell. */
  async tick(): Promise<void> {
    const nowMs = this.#ports.monotonicMs();
    if (!this.#isShared && nowMs < this.#askedAtMs + RETRY_MS) return;
    for (const [name, slice] of this.#slices) {
      const running = this.#running.of(name);
      const isIdle = slice.idleForMs(nowMs) > IDLE_MS;
      if (isIdle) slice.handBack();
      if (slice.hasNews || slice.hasSurplus || slice.mustRenew(running, nowMs)) this.#due.add(slice);
      else if (isIdle && slice.isEmpty && running === 0) this.#slices.delete(name);
    }
    if (this.#due.size === 0 && this.#waiting.length === 0 && nowMs < this.#askedAtMs + BEAT_MS) return;
    await this.#ask(true);
  }

  /** What is in hand goes back, so that others need not wait for it. */
  async close(): Promise<void> {
    await this.#asking;
    if (!this.#isShared) return;
    for (const slice of this.#slices.values()) {
      slice.handBack();
      this.#due.add(slice);
    }
    await this.#ask(false);
  }

  /** Into how many parts a limit falls when nobody counts together. */
  get #shares(): number {
    return Math.max(this.#ports.leastProcesses(), this.#processes * this.#ports.owners());
  }

  #takeAlone(claims: readonly LimitClaim[]): LimitRefusal | undefined {
    const refusal = this.#alone.take(claims);
    if (refusal !== undefined) return refusal;
    // Told when the owner is back, so that coming and going gives nobody a limit twice.
    for (const claim of claims)
      if (claim.measure !== 'at-once')
        this.#leaseOf(claim).noteAlone(claim.units, this.#shares, this.#ports.monotonicMs());
    return undefined;
  }

  /** Of the slice of each claim, in their order. */
  #spend(claims: readonly LimitClaim[], slices: readonly TokenLease[], nowMs: number): void {
    for (const [index, { measure, name, units }] of claims.entries()) {
      const slice = slices[index]!;
      if (measure === 'at-once') this.#running.enter(name);
      if (slice.spend(units, nowMs)) this.#isDue(slice);
    }
  }

  /** Made when first needed, and shaped as the rules are now. */
  #leaseOf(claim: LimitClaim): TokenLease {
    let slice = this.#slices.get(claim.name);
    if (slice === undefined) {
      slice = new TokenLease(claim, this.#ports.owners(), this.#ports.monotonicMs());
      this.#slices.set(claim.name, slice);
    } else slice.shape(claim, this.#ports.owners());
    return slice;
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

  /** One question after another, as long as there is one: what is in hand must be known exactly. */
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
      // In the same turn as the last look for questions: who comes later must not rely on this round.
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
    const told = [...needs.keys()];
    for (const slice of this.#due) {
      if (told.length >= MAX_TOLD + needs.size) break;
      if (!needs.has(slice)) told.push(slice);
      this.#due.delete(slice);
    }
    const asks = told.map((slice) => slice.ask(needs.get(slice) ?? 0, this.#running.of(slice.name), askedAtMs));
    let drawn: Drawn;
    try {
      drawn = await source.draw(process, asks);
    } catch (problem) {
      for (const [index, slice] of told.entries()) slice.untold(asks[index]!);
      this.#goAlone(waiters, problem);
      return false;
    }
    this.#goShared(drawn.processes);
    for (const [index, slice] of told.entries())
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

  /** With what was granted: in the order they came. */
  #decide(claims: readonly LimitClaim[]): LimitRefusal | undefined {
    const nowMs = this.#ports.monotonicMs();
    const slices = claims.map((claim) => this.#leaseOf(claim));
    let worst: LimitRefusal | undefined;
    for (const [index, claim] of claims.entries()) {
      const waitMs = slices[index]!.refuse(claim.units, PLACE_WAIT_MS, nowMs);
      if (waitMs > (worst?.waitMs ?? 0)) worst = { claim, waitMs };
    }
    if (worst === undefined) this.#spend(claims, slices, nowMs);
    // What was granted in vain goes back at once.
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
    // What was taken while we asked.
    for (const slice of this.#slices.values()) this.#due.add(slice);
    this.#ports.onChange?.(true);
  }
}
