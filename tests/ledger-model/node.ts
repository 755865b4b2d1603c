/**
 * One node: the core's `NodeLedgerCore` on a disk, a network and a process that may end at any moment. Does in virtual time what the
 * ledger of the gateway does in real time, in the same order.
 */
import type { Command, Instead, Result, TakeHold } from '../../packages/gateway/src/money/ledger/core/commands.ts';
import { replay } from '../../packages/gateway/src/money/ledger/core/journal-records.ts';
import { NodeLedgerCore } from '../../packages/gateway/src/money/ledger/core/node-ledger-core.ts';
import type { Posting } from '../../packages/gateway/src/money/ledger/core/posting-queue.ts';
import { Disk, type Failure } from './disk.ts';
import { cheaper, type Fate } from './truth.ts';
import type { World } from './world.ts';

const FLUSH_MS = 50;
const BEAT_MS = 2_500;
const REAP_MS = 5_000;
const MOST_POSTINGS = 4;
const MOST_REPLAYED = 3;
const RECALL_PATIENCE_MS = 1_000;

type Watch = { readonly till: NodeLedgerCore; flushing: boolean; writing: boolean; afterWrite: (() => void)[] };

export class SimulatedNode {
  readonly name: string;
  readonly disk = new Disk();
  readonly #world: World;
  /** Monotonic clocks start anywhere and do not all run at the same pace. */
  readonly #pace: number;
  readonly #offsetMs: number;
  #life = 0;
  #epochs = 0;
  /** Of this life of the process: their requests may still run. */
  readonly #ownEpochs = new Set<string>();
  up = false;
  #stalledUntilMs = Number.NEGATIVE_INFINITY;
  #watch: Watch | undefined;
  /** Also those of former epochs whose requests may still run. */
  #watches: Watch[] = [];

  constructor(name: string, world: World) {
    this.name = name;
    this.#world = world;
    this.#pace = 1 + (world.random.next() - 0.5) / 100;
    this.#offsetMs = world.random.between(-1e9, 1e9);
  }

  /** Serves, owes nothing, and has nothing under way. */
  get isIdle(): boolean {
    if (!this.up || this.#watch === undefined || this.#stallMs() > 0) return false;
    for (const epoch of this.disk.journals.keys()) if (!this.#ownEpochs.has(epoch)) return false;
    return this.#watches.every(({ till, writing }) => till.running === 0 && till.unposted === 0 && !writing);
  }

  get clockMs(): number {
    return this.#offsetMs + this.#world.timeline.nowMs * this.#pace;
  }

  start(): void {
    if (this.up) return;
    this.up = true;
    this.#life++;
    this.#ownEpochs.clear();
    this.#soon(1, () => this.#enrol());
    this.#every(REAP_MS, () => this.#reap());
  }

  crash(how: Failure): void {
    if (!this.up) return;
    this.up = false;
    this.#life++;
    if (this.#watch !== undefined) this.#world.died(this.#watch.till.epoch, how);
    // A disk takes the journals of earlier lives along that were not replayed yet.
    for (const epoch of this.disk.journals.keys()) this.#world.died(epoch, how);
    this.#watch = undefined;
    this.#watches = [];
    this.disk.fail(how, this.#world.random);
    this.#world.timeline.after(this.#world.random.between(100, this.#world.longestOutageMs), () => this.start());
  }

  /** The process stands still: nothing of it happens before its time is up, and then everything does. */
  stall(forMs: number): void {
    this.#stalledUntilMs = this.#world.timeline.nowMs + forMs;
  }

  #stallMs(): number {
    return this.#stalledUntilMs - this.#world.timeline.nowMs;
  }

  /** A new epoch: fences the one before, replays what it left, and only then serves. */
  #enrol(): void {
    const epoch = `${this.name}.${++this.#epochs}`;
    const sentAtMs = this.clockMs;
    this.#ask([{ do: 'register', node: this.name, epoch }], (results) => {
      if (results?.[0]?.is !== 'done') this.#soon(100, () => this.#enrol());
      else this.#replay(() => this.#serve(epoch, sentAtMs));
    });
  }

  #replay(then: () => void): void {
    const first = [...this.disk.journals].find(([epoch]) => !this.#ownEpochs.has(epoch));
    if (first === undefined) {
      then();
      return;
    }
    const [epoch, { records }] = first;
    const commands = [...replay(records)];
    const next = (from: number): void => {
      const batch: Command[] = commands.slice(from, from + MOST_REPLAYED);
      const retry = (): void => this.#soon(100, () => next(from));
      if (batch.length > 0)
        this.#ask(batch, (results) => (results === undefined ? retry() : next(from + batch.length)));
      else
        this.#ask([{ do: 'end', epoch }], (results) => {
          if (results === undefined) retry();
          else {
            this.disk.journals.delete(epoch);
            this.#reapAccount(results[0]!);
            this.#replay(then);
          }
        });
    };
    next(0);
  }

  #serve(epoch: string, sentAtMs: number): void {
    this.#ownEpochs.add(epoch);
    const till = new NodeLedgerCore(epoch, () => this.#world.newId('lease'), this.#world.sizing);
    const watch: Watch = { till, flushing: false, writing: false, afterWrite: [] };
    this.#watch = watch;
    this.#watches.push(watch);
    till.beaten(sentAtMs, { is: 'alive', recalled: [] }, this.clockMs);
    const beat = (): void => {
      if (this.#watch !== watch) return;
      const beatenAtMs = this.clockMs;
      this.#ask([{ do: 'beat', epoch }], (results) => {
        if (results === undefined || this.#watch !== watch) return;
        till.beaten(beatenAtMs, results[0]!, this.clockMs);
        till.tidy(this.clockMs);
        this.#write(watch);
        if (results[0]!.is === 'fenced') {
          // Taken for dead while alive: what runs goes on under the old epoch, new requests need a new one.
          this.#watch = undefined;
          this.#enrol();
        }
      });
      this.#soon(BEAT_MS, beat);
    };
    this.#soon(BEAT_MS, beat);
  }

  /** A caller's request arrives. */
  handle(fate: Fate): void {
    if (this.#stallMs() > 0) {
      this.#soon(0, () => this.handle(fate));
      return;
    }
    const watch = this.#watch;
    if (!this.up || watch === undefined) return;
    const { till } = watch;
    const { request, account, scopes, idempotencyKey, chunkCost, cap } = fate;
    const priceVersion = this.#world.priceVersion;
    const amount = chunkCost * BigInt(cap);
    const ask = { request, account, scopes, amount, priceVersion, idempotencyKey };
    if (this.#world.isFree(account)) {
      till.admitFreely(ask, this.clockMs);
      this.#write(watch, () => this.#proceed(watch, fate, priceVersion, true));
      return;
    }
    const admission = till.admit(ask, this.clockMs);
    if (admission.by === 'lease') {
      this.#world.leaseAdmissions++;
      this.#write(watch, () => this.#proceed(watch, fate, priceVersion));
    } else if (admission.by === 'database') {
      const untilMs = this.clockMs + RECALL_PATIENCE_MS;
      this.#hold(watch, fate, admission.command, priceVersion, untilMs);
    }
    this.#write(watch);
  }

  #hold(watch: Watch, fate: Fate, command: TakeHold, priceVersion: string, untilMs: number): void {
    this.#ask([command], (results) => {
      const { till } = watch;
      const result = results?.[0];
      const verdict = result === undefined ? 'lost' : till.answered(fate.request, result, this.clockMs);
      if (verdict === 'go') this.#write(watch, () => this.#proceed(watch, fate, priceVersion));
      else if (verdict === 'recall' && this.clockMs < untilMs)
        this.#soon(60, () => this.#hold(watch, fate, command, priceVersion, untilMs));
      else if (result?.is === 'refused' && result.instead !== undefined) {
        till.answered(fate.request, { ...result, recallable: 0n }, this.clockMs);
        this.#holdInstead(watch, fate, result.instead, untilMs);
      } else {
        till.abandon(fate.request);
        this.#write(watch);
      }
    });
  }

  /** The request, planned anew for the model that a template names: as long as the other, and cheaper. */
  #holdInstead(watch: Watch, asked: Fate, { model: instead }: Instead, untilMs: number): void {
    const fate = cheaper(asked, instead);
    const { request, account, scopes, chunkCost, cap, idempotencyKey } = fate;
    const { priceVersion } = this.#world;
    const ask = { request, account, scopes, amount: chunkCost * BigInt(cap), priceVersion, idempotencyKey, instead };
    const admission = watch.till.admit(ask, this.clockMs);
    if (admission.by === 'database') this.#hold(watch, fate, admission.command, priceVersion, untilMs);
    this.#write(watch);
  }

  recalled(account: string): void {
    if (this.#stallMs() > 0) {
      this.#soon(0, () => this.recalled(account));
      return;
    }
    if (this.#watch === undefined) return;
    this.#watch.till.recalled(account, this.clockMs);
    this.#write(this.#watch);
  }

  /** Written down; the process may have stood still meanwhile. */
  #proceed(watch: Watch, fate: Fate, priceVersion: string, free = false): void {
    if (watch.till.isCovered(fate.request, this.clockMs)) this.#dispatch(watch, fate, priceVersion, free);
    else {
      watch.till.release(fate.request);
      this.#write(watch);
    }
  }

  /** The first upstream byte. */
  #dispatch(watch: Watch, fate: Fate, priceVersion: string, free: boolean): void {
    const { till } = watch;
    const { request } = fate;
    const truth = this.#world.firstByte(this, till.epoch, fate, priceVersion, free);
    const settle = (estimated: boolean): void => {
      till.settle(request, truth.produced + (estimated ? fate.surplus : 0n), estimated, '');
      this.#write(watch, () => {
        truth.settledExactly = !estimated;
      });
    };
    const chunk = (made: number): void => {
      if (made === fate.chunks) {
        if (fate.frame) settle(false);
        else settle(true);
        return;
      }
      this.#world.produce(truth);
      const goesOn = till.meter(request, truth.produced + fate.surplus, this.clockMs) === 'go';
      if (!goesOn || made + 1 === fate.leavesAfter) settle(true);
      else
        this.#soon(
          fate.everyMs,
          () => chunk(made + 1),
          () => this.#world.mayProduceOnce(truth, made, fate.chunks),
        );
      this.#write(watch);
    };
    if (fate.fails)
      this.#soon(fate.everyMs, () => {
        till.release(request);
        this.#write(watch);
      });
    else
      this.#soon(
        fate.everyMs,
        () => chunk(0),
        () => this.#world.mayProduceOnce(truth, 0, fate.chunks),
      );
  }

  /** One write per tick; the process may die before it. */
  #write(watch: Watch, then?: () => void): void {
    if (then !== undefined) watch.afterWrite.push(then);
    if (watch.writing) return;
    watch.writing = true;
    this.#soon(0, () => {
      watch.writing = false;
      const records = watch.till.takeRecords();
      if (records.length > 0) this.disk.append(watch.till.epoch, records);
      watch.till.written();
      const waiting = watch.afterWrite;
      if (waiting.length > 0) {
        watch.afterWrite = [];
        for (const run of waiting) run();
      }
      if (!watch.flushing && watch.till.unposted > 0) {
        watch.flushing = true;
        this.#soon(FLUSH_MS, () => this.#flush(watch));
      }
    });
  }

  #flush(watch: Watch): void {
    const { till } = watch;
    this.disk.sync();
    const batch: readonly Posting[] = till.batch(MOST_POSTINGS);
    const sentAtMs = this.clockMs;
    const again = (): void => this.#soon(FLUSH_MS, () => this.#flush(watch));
    if (batch.length === 0) watch.flushing = false;
    else
      this.#ask(batch, (results) => {
        if (results === undefined) again();
        else {
          till.posted(batch, results, sentAtMs, this.clockMs);
          watch.flushing = till.unposted > 0;
          if (watch.flushing) again();
          this.#write(watch);
        }
      });
  }

  #reap(): void {
    this.#ask([{ do: 'reap' }], (results) => {
      if (results !== undefined) this.#reapAccount(results[0]!);
    });
  }

  #reapAccount(result: Result): void {
    if (result.is === 'to-bury' && result.accounts.length > 0)
      this.#ask(
        result.accounts.map((account) => ({ do: 'bury', account })),
        () => {},
      );
  }

  #ask(commands: readonly Command[], answer: (results: readonly Result[] | undefined) => void): void {
    const life = this.#life;
    this.#world.database.ask(this.name, commands, (results) => {
      if (life !== this.#life) return;
      if (this.#stallMs() > 0) this.#soon(0, () => answer(results));
      else {
        answer(results);
        this.#world.mayCrash(this);
      }
    });
  }

  /** Happens only if the process still lives then; otherwise `orElse` does. */
  #soon(delayMs: number, run: () => void, orElse?: () => void): void {
    const life = this.#life;
    this.#world.timeline.after(delayMs, () => {
      if (life === this.#life && this.#stallMs() > 0) this.#soon(this.#stallMs(), run, orElse);
      else if (life === this.#life) {
        run();
        this.#world.mayCrash(this);
      } else orElse?.();
    });
  }

  #every(delayMs: number, run: () => void): void {
    this.#soon(delayMs, () => {
      run();
      this.#every(delayMs, run);
    });
  }
}
