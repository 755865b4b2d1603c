/**
 * A node's side of the ledger: which requests run on which account's money, which leases cover them, and what must go
 * to the journal and to the ledger database. Commands in, decisions out; no clock and no I/O. All of this state may be
 * lost when the process dies.
 */

import {
  type Release,
  type Resize,
  type Result,
  type Settle,
  type TakeHold,
  type TakeLease,
  TRUST_MS,
} from './commands.ts';
import type { JournalRecord } from './journal-records.ts';
import { freeOf, growth, type Lease, newLease, yielding } from './lease.ts';
import type { Nano } from './ledger-state.ts';
import { Outbox } from './outbox.ts';
import type { Posting } from './posting-queue.ts';
import { chargeFor, isDue, type Running } from './running.ts';

export type Ask = {
  readonly request: string;
  readonly account: string;
  /** The caller's scopes that have budgets. */
  readonly scopes: readonly string[];
  readonly amount: Nano;
  readonly priceVersion: string;
  readonly idempotencyKey: string;
  /** The model that a template names for what does not fit: only the ledger database knows how far it may go. */
  readonly instead?: string | undefined;
  /** The start of the usage event, for its row if this process dies. */
  readonly begun?: object | undefined;
};

export type Admission =
  /** Send upstream once the journal is written. */
  | { readonly by: 'lease' }
  /** Ask the ledger database, and pass its result to `answered`. */
  | { readonly by: 'database'; readonly command: TakeHold }
  /** The ledger database may consider this node dead: nothing is sent upstream. */
  | { readonly by: 'none' }
  /** Too many settlements of this account wait to be posted: retry later. */
  | { readonly by: 'later' };

export type Verdict = 'go' | 'recall' | 'refused' | 'duplicate' | 'fenced' | 'gone';

/** In multiples of a request's amount: `least`, the smallest grant worth a lease; `first`, the size of the first lease. */
export type Sizing = { readonly least: bigint; readonly first: bigint };
export const USUAL_SIZING: Sizing = { least: 8n, first: 32n };
/** A lease's target is doubled only while it is below this: 100 USD. */
const LARGEST_TARGET: Nano = 100_000_000_000n;
/** After a refusal or a recall, no new lease or growth is requested on this path for this long. */
const LEASE_REST_MS = 2_000;
const LEASE_IDLE_MS = 60_000;

export class NodeLedgerCore {
  readonly epoch: string;
  readonly outbox = new Outbox();
  readonly #nextLeaseId: () => string;
  readonly #sizing: Sizing;
  readonly #running = new Map<string, Running>();
  readonly #asking = new Map<string, Ask>();
  /** The lease that takes new requests, by path; and all leases that are not closed, by id. */
  readonly #current = new Map<string, Lease>();
  readonly #leases = new Map<string, Lease>();
  readonly #restUntilMs = new Map<string, number>();
  #trustedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(epoch: string, nextLeaseId: () => string, sizing: Sizing = USUAL_SIZING) {
    this.epoch = epoch;
    this.#sizing = sizing;
    this.#nextLeaseId = nextLeaseId;
  }

  get running(): number {
    return this.#running.size;
  }

  get unposted(): number {
    return this.outbox.queue.length;
  }

  /** How many postings `batch` could return now. */
  get sendable(): number {
    return this.outbox.queue.sendable;
  }

  get journalled(): { readonly pushed: number; readonly posted: number } {
    return this.outbox.queue.journalled;
  }

  /** Records that a new journal segment repeats for running requests, so that they no longer need the old segment. */
  runningRecords(): readonly JournalRecord[] {
    const records: JournalRecord[] = [];
    for (const [request, { account, lease, amount, priceVersion, begun, checkpoint: cost }] of this.#running) {
      records.push({ at: 'admit', request, account, lease: lease?.id ?? '', amount, priceVersion, begun });
      if (cost > 0n) records.push({ at: 'checkpoint', request, cost });
    }
    return records;
  }

  trusted(nowMs: number): boolean {
    return nowMs < this.#trustedUntilMs;
  }

  admit(ask: Ask, nowMs: number): Admission {
    if (!this.trusted(nowMs)) return { by: 'none' };
    const { request, account, scopes, amount, priceVersion, idempotencyKey, instead } = ask;
    if (this.outbox.queue.isFull(account)) return { by: 'later' };
    const path = scopes.length === 0 ? account : [account, ...scopes].join(' ');
    const lease = instead === undefined ? this.#leaseFor(path, ask, nowMs) : undefined;
    if (lease !== undefined && idempotencyKey === '' && freeOf(lease) >= amount) {
      lease.held += amount;
      lease.running++;
      lease.usedAtMs = nowMs;
      this.#run(ask, lease, nowMs);
      if (freeOf(lease) < lease.target / 4n) this.#grow(lease, amount, nowMs);
      return { by: 'lease' };
    }
    if (lease !== undefined) this.#grow(lease, amount, nowMs);
    this.#asking.set(request, ask);
    const { epoch } = this;
    const command: TakeHold = { do: 'hold', account, request, epoch, amount, scopes, priceVersion, idempotencyKey };
    return { by: 'database', command: instead === undefined ? command : { ...command, instead } };
  }

  /** For unmetered accounts: nothing is set aside, and the ledger database may be unreachable. */
  admitFreely(ask: Ask, nowMs: number): void {
    this.#run(ask, undefined, nowMs, true);
  }

  /** Once the admission is in the journal: is the hold still valid? The process may have been suspended meanwhile. */
  isCovered(request: string, nowMs: number): boolean {
    return this.trusted(nowMs) || this.#running.get(request)?.free === true;
  }

  /** The ledger database's result for a hold. On `recall`, send the same command again a little later. */
  answered(request: string, result: Result, nowMs: number): Verdict {
    const ask = this.#asking.get(request);
    if (ask === undefined) return 'gone';
    if (result.is === 'refused' && result.recallable > 0n) return 'recall';
    this.#asking.delete(request);
    if (result.is === 'granted') {
      if (this.trusted(nowMs)) {
        this.#run(ask, undefined, nowMs);
        return 'go';
      }
      // The answer took so long that the hold may have been reaped meanwhile.
      this.outbox.queue.push({ do: 'release', account: ask.account, hold: request });
      return 'fenced';
    }
    return result.is === 'duplicate' || result.is === 'fenced' ? result.is : 'refused';
  }

  /** The request no longer waits for its hold; whether the ledger database has granted it is unknown. */
  abandon(request: string): void {
    const ask = this.#asking.get(request);
    if (ask === undefined) return;
    this.#asking.delete(request);
    this.outbox.queue.push({ do: 'release', account: ask.account, hold: request });
  }

  /** `cost`: of the request so far. `stop`: its hold is used up and cannot be extended. */
  meter(request: string, cost: Nano, nowMs: number): 'go' | 'stop' {
    const running = this.#running.get(request);
    if (running === undefined) return 'stop';
    if (running.free) this.#growFreely(request, running, cost);
    else if (cost > running.amount - running.step) this.#extend(request, running, cost, nowMs);
    if (isDue(running, cost, nowMs)) {
      running.checkpoint = cost;
      running.checkpointAtMs = nowMs;
      this.outbox.record({ at: 'checkpoint', request, cost });
      const { account, lease, free, priceVersion } = running;
      if (!free)
        this.outbox.queue.push({ do: 'checkpoint', account, request, lease: lease?.id ?? '', cost, priceVersion });
    }
    return cost > running.amount ? 'stop' : 'go';
  }

  /** What a bill would be charged now. */
  chargeOf(request: string, cost: Nano, estimated: boolean): Nano {
    const running = this.#running.get(request);
    return running === undefined ? 0n : chargeFor(running, cost, estimated);
  }

  /** Returns what is charged. */
  settle(request: string, cost: Nano, estimated: boolean, memo: string): Nano {
    const running = this.#running.get(request);
    if (running === undefined) return 0n;
    const { account, lease, priceVersion } = running;
    const charged = chargeFor(running, cost, estimated);
    const posting: Settle = {
      do: 'settle',
      account,
      request,
      lease: lease?.id ?? '',
      cost: charged,
      priceVersion,
      estimated,
      memo,
    };
    this.outbox.end({ request, record: { at: 'settle', request, cost: charged, estimated, memo }, posting });
    this.#end(request, running, charged);
    return charged;
  }

  release(request: string): void {
    const running = this.#running.get(request);
    if (running === undefined) return;
    const { account, lease, free, checkpoint } = running;
    // The ledger database learns of a request under a lease from its first checkpoint.
    const isKnown = !free && (lease === undefined || checkpoint > 0n);
    const posting: Release | undefined = isKnown ? { do: 'release', account, hold: request } : undefined;
    this.outbox.end({ request, record: { at: 'release', request }, posting });
    this.#end(request, running, 0n);
  }

  /** A request on any node needs the money in this node's leases of the account, or its budgets have changed. */
  recalled(account: string, nowMs: number): void {
    for (const lease of this.#leases.values()) if (lease.account === account) this.#close(lease, nowMs);
  }

  /** Called periodically: releases expired and idle leases. */
  tidy(nowMs: number): void {
    for (const lease of this.#leases.values())
      if (lease.state === 'open' && (nowMs >= lease.validUntilMs || nowMs - lease.usedAtMs > LEASE_IDLE_MS))
        this.#close(lease, nowMs);
    for (const [path, untilMs] of this.#restUntilMs) if (nowMs >= untilMs) this.#restUntilMs.delete(path);
  }

  /** Before exit and after a failover of the database: releases leases, admits nothing until the next heartbeat. */
  closeLeases(nowMs: number): void {
    this.#trustedUntilMs = Number.NEGATIVE_INFINITY;
    for (const lease of this.#leases.values()) this.#close(lease, nowMs);
  }

  /** `result`: of the heartbeat sent at `sentAtMs`. */
  beaten(sentAtMs: number, result: Result, nowMs: number): void {
    if (result.is === 'alive') {
      this.#trustedUntilMs = sentAtMs + TRUST_MS;
      for (const account of result.recalled) this.recalled(account, nowMs);
    } else if (result.is === 'fenced') this.#trustedUntilMs = Number.NEGATIVE_INFINITY;
  }

  takeRecords(): readonly JournalRecord[] {
    return this.outbox.takeRecords();
  }

  /** Every record taken so far is in the journal. */
  written(): void {
    this.outbox.queue.written();
  }

  /** The next postings. They stay queued until `posted`, and are sent again if no answer came. */
  batch(most: number): readonly Posting[] {
    return this.outbox.queue.batch(most);
  }

  posted(batch: readonly Posting[], results: readonly Result[], sentAtMs: number, nowMs: number): void {
    this.outbox.queue.remove(batch);
    for (const [index, posting] of batch.entries()) {
      const result = results[index]!;
      if (posting.do === 'lease') this.#leased(posting, result, sentAtMs, nowMs);
      else if (posting.do === 'resize') this.#resized(posting, result, nowMs);
    }
  }

  #run(ask: Ask, lease: Lease | undefined, nowMs: number, free = false): void {
    const { request, account, amount, priceVersion, begun } = ask;
    this.#running.set(request, {
      account,
      lease,
      free,
      priceVersion,
      begun,
      step: amount / 4n + 1n,
      amount,
      checkpoint: 0n,
      checkpointAtMs: nowMs,
      version: 0,
      extension: 'none',
    });
    this.outbox.record({ at: 'admit', request, account, lease: lease?.id ?? '', amount, priceVersion, begun });
  }

  /** Recorded, so that a replay does not take the quote for a limit. */
  #growFreely(request: string, running: Running, cost: Nano): void {
    if (cost <= running.amount) return;
    running.amount = cost;
    this.outbox.record({ at: 'extend', request, amount: cost });
  }

  #end(request: string, { lease, amount }: Running, cost: Nano): void {
    this.#running.delete(request);
    if (lease === undefined) return;
    lease.held -= amount;
    lease.settled += cost;
    lease.running--;
    if (lease.state === 'closing') this.#yield(lease);
  }

  /** The open lease of this path; without one, requests one (unless the path rests) and returns undefined. */
  #leaseFor(path: string, { account, scopes, amount }: Ask, nowMs: number): Lease | undefined {
    const lease = this.#current.get(path);
    if (lease !== undefined) {
      if (lease.state !== 'open') return undefined;
      if (nowMs < lease.validUntilMs) return lease;
      this.#close(lease, nowMs);
    }
    if (nowMs < (this.#restUntilMs.get(path) ?? Number.NEGATIVE_INFINITY)) return undefined;
    const asked = newLease(this.#nextLeaseId(), account, path, amount * this.#sizing.first);
    this.#current.set(path, asked);
    this.#leases.set(asked.id, asked);
    const { id, target: wanted } = asked;
    const least = amount * this.#sizing.least;
    this.outbox.queue.push({ do: 'lease', account, lease: id, epoch: this.epoch, wanted, least, scopes });
    return undefined;
  }

  #leased({ lease: id }: TakeLease, result: Result, sentAtMs: number, nowMs: number): void {
    const lease = this.#leases.get(id);
    if (lease === undefined) return;
    if (result.is !== 'granted') {
      lease.state = 'closed';
      this.#drop(lease, nowMs);
      return;
    }
    lease.granted = result.amount;
    // Counted from when the request was sent, so that the lease expires here before it does in the ledger database.
    lease.validUntilMs = sentAtMs + result.validForMs;
    lease.usedAtMs = nowMs;
    if (lease.state === 'asked') lease.state = 'open';
    else this.#yield(lease);
  }

  #resized({ hold, version }: Resize, result: Result, nowMs: number): void {
    const lease = this.#leases.get(hold);
    if (lease !== undefined) {
      if (version !== lease.version || lease.state !== 'open') return;
      lease.growing = false;
      if (result.is === 'granted') lease.granted = result.amount;
      else this.#restUntilMs.set(lease.path, nowMs + LEASE_REST_MS);
      return;
    }
    const running = this.#running.get(hold);
    if (running === undefined) return;
    running.extension = result.is === 'granted' ? 'none' : 'refused';
    if (result.is !== 'granted') return;
    running.amount = result.amount;
    this.outbox.record({ at: 'extend', request: hold, amount: running.amount });
  }

  #grow(lease: Lease, amount: Nano, nowMs: number): void {
    if (lease.growing || nowMs < (this.#restUntilMs.get(lease.path) ?? Number.NEGATIVE_INFINITY)) return;
    if (lease.target < LARGEST_TARGET) lease.target = larger(lease.target * 2n, amount * this.#sizing.least);
    this.outbox.queue.push(growth(lease));
  }

  /** Extends by one step, or by more where the cost jumped past the hold between two readings. */
  #extend(request: string, running: Running, cost: Nano, nowMs: number): void {
    const { lease, step, account, amount } = running;
    if (running.extension !== 'none' || !this.trusted(nowMs)) return;
    const to = larger(amount, cost) + step;
    if (lease === undefined) {
      running.extension = 'asked';
      const version = ++running.version;
      this.outbox.queue.push({ do: 'resize', account, hold: request, version, to, yields: false });
    } else if (lease.state === 'open' && freeOf(lease) >= to - amount) {
      lease.held += to - amount;
      running.amount = to;
      this.outbox.record({ at: 'extend', request, amount: to });
    } else if (lease.state === 'open') this.#grow(lease, to, nowMs);
  }

  #close(lease: Lease, nowMs: number): void {
    if (lease.state === 'closing' || lease.state === 'closed') return;
    const wasOpen = lease.state === 'open';
    lease.state = 'closing';
    this.#restUntilMs.set(lease.path, nowMs + LEASE_REST_MS);
    if (this.#current.get(lease.path) === lease) this.#current.delete(lease.path);
    // A lease that is still being requested is released when it arrives.
    if (wasOpen) this.#yield(lease);
  }

  #yield(lease: Lease): void {
    this.outbox.queue.push(yielding(lease));
    if (lease.state === 'closed') this.#leases.delete(lease.id);
  }

  #drop(lease: Lease, nowMs: number): void {
    this.#leases.delete(lease.id);
    this.#restUntilMs.set(lease.path, nowMs + LEASE_REST_MS);
    if (this.#current.get(lease.path) === lease) this.#current.delete(lease.path);
  }
}

const larger = (a: Nano, b: Nano): Nano => (a > b ? a : b);
