/**
 * One seed's world: a database, two or three nodes, callers, an upstream that knows the truth, and accidents. It stops at
 * the first violation, which names the invariant, the moment and the seed to see it again with.
 */
import type { Command, Result, TakeHold, TakeLease } from '../../packages/gateway/src/money/ledger/core/commands.ts';
import { type Sizing, USUAL_SIZING } from '../../packages/gateway/src/money/ledger/core/node-ledger-core.ts';
import { checkAtEnd, checkExtension, checkFirstByte, checkReach, checkRefusal, checkRoom } from './checks.ts';
import { Database } from './database.ts';
import type { Failure } from './disk.ts';
import { SimulatedNode } from './node.ts';
import { Random } from './random.ts';
import { RunningBalances } from './running-balances.ts';
import { drawFate, furnish, SPENDERS } from './scenario.ts';
import { Timeline } from './timeline.ts';
import type { Fate, Truth } from './truth.ts';

class ViolationError extends Error {}

/** A node is fenced after 15 s of silence, plus up to 5 s until the next check; its holds must be reaped by 30 s. */
const HEALING_MS = 30_000;
/** By then whatever was sent has come, been given up, or will never come. */
const LATEST_ARRIVAL_MS = 5_000;
const LOOK_MS = 1_000;
const SITTING_OUT = 8;
/** Between two pieces of a slow stream. */
const SLOW_MS = 500;
const SMALL_LEASES: Sizing = { least: 2n, first: 3n };
/** Shortly before windows end: a month in UTC, days of 23 and 25 hours in Berlin, one of 25 in New York. */
const BEGINNINGS: readonly number[] = [
  Date.UTC(2026, 0, 31, 23, 59, 50),
  Date.UTC(2026, 2, 29, 21, 59, 50),
  Date.UTC(2026, 9, 25, 22, 59, 50),
  Date.UTC(2026, 10, 2, 4, 59, 50),
];
const FAILURES: readonly Failure[] = ['kill', 'kill', 'kill', 'kill', 'power', 'disk'];

export class World {
  readonly random: Random;
  readonly timeline: Timeline;
  readonly database: Database;
  readonly nodes: SimulatedNode[] = [];
  readonly truths = new Map<string, Truth>();
  /** Epochs that ended in an accident, and which: what they owed the ledger database may be lost within the stated bounds. */
  readonly deaths = new Map<string, Failure>();
  /** Nodes that were out of touch for so long that they may rightly have been taken for dead. */
  readonly lostTouch = new Set<string>();
  readonly longestOutageMs: number;
  /** Long enough, at times, to outlive the trust in a node that has lost touch. */
  readonly busyMs: number;
  readonly sizing: Sizing;
  readonly spender: readonly string[];
  leaseAdmissions = 0;
  /** A template names a model for what does not fit: most requests are to meet it. */
  isAtLimit = false;
  /** Accounts that nodes take for boundless. */
  readonly #free = new Set(['team']);
  priceVersion = 'v1';
  readonly #crashChance: number;
  /** Some are watched to the end all the same. */
  readonly #sitsOut: boolean;
  readonly #balances: RunningBalances;
  /** When a process stands still, once: right after it has taken a request, or in the middle of a slow stream. */
  #stalls: 'never' | 'at-admission' | 'in-stream';
  /** When all of them run again. */
  #awakeAtMs = 0;
  #accidents = 0;
  #ids = 0;
  /** Holds and leases that were looked at: a command that comes again is answered as before. */
  readonly #reached = new Map<string, TakeHold | TakeLease>();
  /** Of resizes, by hold. */
  readonly #versions = new Map<string, number>();

  constructor(seed: number) {
    const random = new Random(seed);
    this.random = random;
    this.#sitsOut = seed % SITTING_OUT === 0;
    this.timeline = new Timeline(BEGINNINGS[seed % BEGINNINGS.length]! + random.between(0, 20_000));
    this.database = new Database(this.timeline, random, (command, result) => this.#applied(command, result));
    this.#balances = new RunningBalances(this.database.state);
    this.#crashChance = random.happens(0.6) ? 0.01 + random.next() * 0.03 : 0;
    this.busyMs = random.happens(0.75) ? 4_000 : 24_000;
    this.sizing = random.happens(0.5) ? SMALL_LEASES : USUAL_SIZING;
    this.longestOutageMs = random.happens(0.5) ? 2_000 : 20_000;
    this.database.lossChance = random.happens(0.5) ? random.next() * 0.25 : 0;
    this.spender = SPENDERS[seed % SPENDERS.length]!;
    const stallsAt = random.happens(0.5) ? 'at-admission' : 'in-stream';
    this.#stalls = random.happens(this.busyMs > 10_000 ? 0.8 : 0.05) ? stallsAt : 'never';
    furnish(this);
  }

  run(): void {
    const { timeline, random, database } = this;
    const started = timeline.nowMs;
    const count = random.between(2, 3);
    for (let index = 0; index < count; index++) this.nodes.push(new SimulatedNode(`n${index}`, this));
    for (const node of this.nodes) node.start();
    this.#plan();
    while (timeline.step(started + this.busyMs));
    database.lossChance = 0;
    this.#accidents = Number.POSITIVE_INFINITY;
    this.#rest(started + this.busyMs + this.longestOutageMs);
    database.cutOff.clear();
    database.heal();
    this.#rest(Math.max(started + this.busyMs + this.longestOutageMs, this.#awakeAtMs) + HEALING_MS);
    checkAtEnd(this);
  }

  /** Until then, or until nothing could happen any more: most worlds have said all they have to say long before. */
  #rest(untilMs: number): void {
    const { timeline } = this;
    for (let atMs = timeline.nowMs + LATEST_ARRIVAL_MS; atMs < untilMs; atMs += LOOK_MS) {
      while (timeline.step(atMs));
      if (!this.#sitsOut && this.#isCalm()) return;
    }
    while (timeline.step(untilMs));
  }

  #isCalm(): boolean {
    const { state: ledger, cutOff, isUp } = this.database;
    if (!isUp || cutOff.size > 0 || !this.nodes.every(({ isIdle }) => isIdle)) return false;
    for (const { state, kind, epoch } of ledger.holds.values())
      if (state === 'open' && !(kind === 'lease' && ledger.nodes.get(epoch)?.state === 'alive')) return false;
    return true;
  }

  #plan(): void {
    const { timeline, random, database } = this;
    for (let requests = random.between(6, 14); requests > 0; requests--)
      timeline.after(random.between(20, this.busyMs - 500), () => {
        const node = this.nodes[random.between(0, this.nodes.length - 1)]!;
        for (let burst = random.happens(0.3) ? random.between(2, 4) : 1; burst > 0; burst--)
          node.handle(drawFate(this));
        if (this.#stalls === 'at-admission' && random.happens(0.3)) this.#stall(node);
      });
    if (random.happens(0.25))
      timeline.after(random.between(100, this.busyMs), () => this.accident(() => database.crash()));
    if (random.happens(this.busyMs > 10_000 ? 0.6 : 0.15))
      timeline.after(random.between(100, 3_000), () => this.accident(() => this.#cutOff()));
    timeline.after(random.between(1_000, this.busyMs), () => {
      this.priceVersion = 'v2';
    });
  }

  /** A node that lives on without the database, perhaps for longer than it may be trusted. */
  #cutOff(): void {
    const { name } = this.nodes[this.random.between(0, this.nodes.length - 1)]!;
    this.database.cutOff.add(name);
    const forMs = this.random.happens(0.3) ? this.random.between(500, 9_000) : this.random.between(17_000, 25_000);
    // A silence of 15 s needs an outage of little less: the last sign of life may be a while ago.
    if (forMs > 10_000) this.lostTouch.add(name);
    this.timeline.after(forMs, () => this.database.cutOff.delete(name));
  }

  /** A process that stands still for longer than the ledger database waits for it, and wakes up again. */
  #stall(node: SimulatedNode): void {
    this.#stalls = 'never';
    const forMs = this.random.between(2_000, 25_000);
    // Also a short one may follow signs of life that were lost.
    this.lostTouch.add(node.name);
    node.stall(forMs);
    this.#awakeAtMs = this.timeline.nowMs + forMs;
  }

  isFree(account: string): boolean {
    return this.#free.has(account);
  }

  bound(account: string): void {
    this.#free.delete(account);
  }

  accident(happen: () => void): void {
    if (this.#accidents >= 3) return;
    this.#accidents++;
    happen();
  }

  /** After every step of a node: it may have been its last. */
  mayCrash(node: SimulatedNode): void {
    if (this.#crashChance === 0 || !this.random.happens(this.#crashChance)) return;
    this.accident(() => node.crash(FAILURES[this.random.between(0, FAILURES.length - 1)]!));
  }

  died(epoch: string, how: Failure): void {
    if (how !== 'kill' || !this.deaths.has(epoch)) this.deaths.set(epoch, how);
  }

  newId(kind: string): string {
    return `${kind}-${++this.#ids}`;
  }

  firstByte(node: SimulatedNode, epoch: string, fate: Fate, priceVersion: string, free: boolean): Truth {
    checkFirstByte(this, node, epoch, fate, free);
    const truth: Truth = { fate, node: node.name, epoch, priceVersion, free, produced: 0n, settledExactly: false };
    this.truths.set(fate.request, truth);
    return truth;
  }

  produce(truth: Truth): void {
    truth.produced += truth.fate.chunkCost;
    if (this.#stalls !== 'in-stream' || truth.fate.everyMs < SLOW_MS) return;
    const node = this.nodes.find(({ name }) => name === truth.node)!;
    // By then the ledger database has a checkpoint of the stream.
    this.timeline.after(this.random.between(0, SLOW_MS), () => {
      if (this.#stalls === 'in-stream') this.#stall(node);
    });
  }

  /** Until the upstream notices the disconnect, it may produce one more piece. */
  mayProduceOnce(truth: Truth, made: number, chunks: number): void {
    if (made < chunks && this.random.happens(0.5)) this.produce(truth);
  }

  fail(invariant: string, says: string): never {
    throw new ViolationError(`${invariant}: ${says}`);
  }

  #applied(command: Command, result: Result): void {
    if (command.do === 'beat' || command.do === 'register' || command.do === 'reap') return;
    if (command.do === 'hold' && result.is === 'refused') {
      if (result.recallable === 0n) checkRefusal(this, command, result);
      else this.#notify(command.account);
    }
    if ((command.do === 'hold' || command.do === 'lease') && result.is === 'granted') {
      const id = command.do === 'hold' ? command.request : command.lease;
      if (!this.#reached.has(id)) {
        checkReach(this, command, result);
        checkRoom(this, id, command);
      }
      this.#reached.set(id, command);
    }
    if (command.do === 'resize') {
      const taken = this.#reached.get(command.hold);
      const isRepeated = this.#versions.get(command.hold)! >= command.version;
      if (taken !== undefined && !isRepeated) checkExtension(this, command, taken, result);
      this.#versions.set(command.hold, command.version);
    }
    if (command.do === 'deposit' && command.amount > 0n && result.is !== 'done')
      this.fail('refusal', `${command.account} paid ${command.amount}, and it was not taken`);
    if (command.do === 'end' || command.do === 'usage') return;
    const first = this.#balances.violationOn(command.account);
    if (first !== undefined) this.fail(first.invariant, `${first.account}: ${first.says} after ${command.do}`);
  }

  #notify(account: string): void {
    for (const node of this.nodes)
      if (!this.database.cutOff.has(node.name) && !this.random.happens(this.database.lossChance))
        this.timeline.after(2, () => node.recalled(account));
  }
}
