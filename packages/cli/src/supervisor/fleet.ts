// Keeps a fixed number of workers running: a crashed worker is restarted, and a rolling restart replaces all of them
// without downtime. It knows nothing of processes, so tests can try every order of events.

import type { Log } from '@trivium/gateway/supervisor';
import { backoffMs } from './backoff.ts';
import type { DrainOrder } from './messages.ts';

export interface Worker {
  readonly id: number;
  /** False if the worker exited, or was killed, before it was ready. */
  readonly ready: Promise<boolean>;
  /** Resolves with the exit code or signal. */
  readonly ended: Promise<string>;
  /** Finishes running requests, then exits. */
  drain(order: DrainOrder): void;
  kill(): void;
}

export interface FleetPorts<W extends Worker> {
  start(): W;
  readonly log: Log;
  /** Resolves after the time, or as soon as the fleet stops. */
  pause(ms: number): Promise<void>;
  nowMs(): number;
  /** The longest a worker may take to end once it drains; then it is killed. */
  readonly drainLimitMs: () => number;
}

export interface Census {
  readonly serving: number;
  readonly leaving: number;
  /** Since the start. */
  readonly replaced: number;
  readonly fallen: number;
  /** Killed because their event loop was blocked. */
  readonly frozen: number;
}

/** A worker that has run this long resets the backoff: its next crash counts as the first. */
const PROVEN_MS = 30_000;

/** Callers wait in a blocked worker: if its successor takes longer than this to start, the worker is killed first. */
const SUCCESSOR_PATIENCE_MS = 4_000;

/** How often a worker is started that something kills before it is ready. */
const MAX_STARTS = 3;

/** The slot of one worker, and of at most one more that drains. */
class Seat<W extends Worker> {
  current: W | undefined;
  leaving: W | undefined;
  /** Consecutive crashes. */
  falls = 0;
  #turn: Promise<unknown> = Promise.resolve();

  /** Resolves when no change is under way. */
  get settled(): Promise<unknown> {
    return this.#turn;
  }

  /** One change at a time: a replacement and a restart of the same slot never overlap. */
  change(work: () => Promise<boolean>): Promise<boolean> {
    const done = this.#turn.then(work);
    this.#turn = done;
    return done;
  }
}

export class Fleet<W extends Worker> {
  readonly #ports: FleetPorts<W>;
  readonly #seats: readonly Seat<W>[];
  #replaced = 0;
  #fallen = 0;
  #frozen = 0;
  #stopping = false;
  #rolling: Promise<void> | undefined;
  #rollAgain = false;
  /** Killed because they were blocked: their exit is not counted as a crash. */
  readonly #dying = new WeakSet<W>();

  constructor(size: number, ports: FleetPorts<W>) {
    this.#ports = ports;
    this.#seats = Array.from({ length: size }, () => new Seat<W>());
  }

  get workers(): readonly W[] {
    return this.#seats.flatMap(({ current, leaving }) => [current, leaving].filter((worker) => worker !== undefined));
  }

  get census(): Census {
    const taken = (which: 'current' | 'leaving'): number =>
      this.#seats.filter((seat) => seat[which] !== undefined).length;
    return {
      serving: taken('current'),
      leaving: taken('leaving'),
      replaced: this.#replaced,
      fallen: this.#fallen,
      frozen: this.#frozen,
    };
  }

  /** True if every worker is ready; false if one failed to start, and then all are stopped. */
  async start(): Promise<boolean> {
    const started = await Promise.all(this.#seats.map((seat) => this.#renew(seat)));
    if (started.every(Boolean)) return true;
    await this.stop({ handover: false, noticeMs: 0 });
    return false;
  }

  /** Rolling restart, one worker after another; a call during a restart adds one more round. */
  replaceAll(): Promise<void> {
    this.#rollAgain = true;
    this.#rolling ??= this.#roll().finally(() => {
      this.#rolling = undefined;
    });
    return this.#rolling;
  }

  async replace(worker: W): Promise<void> {
    const seat = this.#seats.find(({ current }) => current === worker);
    if (seat !== undefined) await this.#renew(seat);
  }

  /**
   * Replaces a blocked worker, which reads no command: it is killed once its successor serves, fails to start, or is late.
   * If it responds again by then, it drains like any other. The last worker is not killed early: it keeps the address open.
   */
  async replaceFrozen(worker: W, isFrozen: () => boolean): Promise<void> {
    const seat = this.#seats.find(({ current }) => current === worker);
    // At most two workers per slot: while an older one still drains, the successor starts after this one is gone.
    if (seat !== undefined && seat.leaving === undefined) {
      const renewed = this.#renew(seat, { worker, isFrozen });
      const othersServe = this.#seats.some((other) => other !== seat && other.current !== undefined);
      await (othersServe ? Promise.race([renewed, this.#ports.pause(SUCCESSOR_PATIENCE_MS)]) : renewed);
    }
    if (isFrozen()) this.#killFrozen(worker);
  }

  async stop(order: DrainOrder): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.workers.map((worker) => this.#drain(worker, order)));
  }

  killAll(): void {
    for (const worker of this.workers) worker.kill();
  }

  async #roll(): Promise<void> {
    while (this.#rollAgain && !this.#stopping) {
      this.#rollAgain = false;
      for (const seat of this.#seats) {
        if ((await this.#renew(seat)) || this.#stopping) continue;
        this.#ports.log.error('rolling restart aborted; running workers continue');
        break;
      }
    }
  }

  /** The old worker goes only when the new one serves. */
  #renew(seat: Seat<W>, frozen?: { readonly worker: W; isFrozen(): boolean }): Promise<boolean> {
    return seat.change(async () => {
      if (frozen !== undefined && seat.current !== frozen.worker) return false;
      // At most one draining worker per slot, however often a replacement is requested.
      if (seat.current !== undefined) await seat.leaving?.ended;
      if (this.#stopping) return false;
      const startedMs = this.#ports.nowMs();
      const worker = await this.#startWorker();
      if (worker === undefined) return false;
      const old = seat.current;
      seat.current = worker;
      void worker.ended.then((how) => this.#refill(seat, worker, how, startedMs));
      if (old !== undefined && frozen?.isFrozen() === true) this.#killFrozen(old);
      else if (old !== undefined) this.#release(seat, old);
      return true;
    });
  }

  /** A worker that exits by itself has said why, and would again; one that was killed, such as for memory, starts anew. */
  async #startWorker(): Promise<W | undefined> {
    for (let tries = 1; ; tries++) {
      const worker = this.#ports.start();
      const isReady = await worker.ready;
      if (isReady && !this.#stopping) return worker;
      worker.kill();
      if (isReady || this.#stopping || tries === MAX_STARTS) return undefined;
      const how = await worker.ended;
      if (how.startsWith('exit code') || this.#stopping) return undefined;
      this.#ports.log.warn('worker was killed while it started; starting another', { worker: worker.id, problem: how });
    }
  }

  #killFrozen(worker: W): void {
    if (this.#dying.has(worker)) return;
    this.#dying.add(worker);
    worker.kill();
    void worker.ended.then(() => this.#frozen++);
  }

  #release(seat: Seat<W>, old: W): void {
    seat.leaving = old;
    this.#ports.log.info('worker replaced', { worker: old.id });
    void this.#drain(old, { handover: true, noticeMs: 0 }).then(() => {
      seat.leaving = undefined;
      this.#replaced++;
    });
  }

  async #refill(seat: Seat<W>, worker: W, how: string, startedMs: number): Promise<void> {
    const { log, nowMs, pause } = this.#ports;
    if (seat.current !== worker) return;
    seat.current = undefined;
    if (this.#stopping) return;
    if (!this.#dying.has(worker)) {
      this.#fallen++;
      log.error('worker crashed', { worker: worker.id, problem: how });
    }
    seat.falls = nowMs() - startedMs > PROVEN_MS ? 1 : seat.falls + 1;
    await pause(backoffMs(seat.falls));
    await seat.settled;
    while (seat.current === undefined && !this.#stopping) {
      if (await this.#renew(seat)) return;
      seat.falls++;
      if (!this.#stopping) log.error('worker failed to start', { problem: `attempt ${seat.falls}` });
      await pause(backoffMs(seat.falls));
    }
  }

  async #drain(worker: Worker, order: DrainOrder): Promise<void> {
    worker.drain(order);
    const late = setTimeout(() => {
      this.#ports.log.error('worker did not exit in time; killed', { worker: worker.id });
      worker.kill();
    }, order.noticeMs + this.#ports.drainLimitMs());
    await worker.ended;
    clearTimeout(late);
  }
}
