// A fixed number of workers, kept running: one that falls is started again, and all can be replaced one after another
// without a moment in which nobody serves. Knows nothing of processes, so that every order of events can be tried.

import type { Log } from '@trivium/gateway/supervisor';
import { backoffMs } from './backoff.ts';
import type { DrainOrder } from './messages.ts';

export interface Worker {
  readonly id: number;
  /** False when it ended, or was ended, before it served. */
  readonly ready: Promise<boolean>;
  /** Resolves with how it ended. */
  readonly ended: Promise<string>;
  /** Finishes what runs, and ends. */
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
  /** Killed for not turning any more. */
  readonly frozen: number;
}

/** A worker that lived so long has shown that it can: its next end is not counted with the ones before. */
const PROVEN_MS = 30_000;

/** Callers wait in a worker that does not turn: its successor has no more than this before they are let go. */
const SUCCESSOR_PATIENCE_MS = 4_000;

/** A place for one worker, and at most one more that is on its way out. */
class Seat<W extends Worker> {
  current: W | undefined;
  leaving: W | undefined;
  /** How often in a row its worker fell. */
  falls = 0;
  #turn: Promise<unknown> = Promise.resolve();

  /** Resolves when no change is under way. */
  get settled(): Promise<unknown> {
    return this.#turn;
  }

  /** One change at a time: a seat that is being renewed is not filled as well. */
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
  /** Killed for not turning: their end is no surprise. */
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

  /** True when every seat is taken; false when a worker would not start, and then none is left. */
  async start(): Promise<boolean> {
    const started = await Promise.all(this.#seats.map((seat) => this.#renew(seat)));
    if (started.every(Boolean)) return true;
    await this.stop({ handover: false, noticeMs: 0 });
    return false;
  }

  /** Every seat gets a new worker, one seat after another; asked again meanwhile, it goes round once more. */
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
   * For one that does not turn and cannot hear an order: killed once its successor serves, has failed to, or is late. One that
   * turns again by then is replaced like any other. The last worker is never killed early: it holds the address open.
   */
  async replaceFrozen(worker: W, isFrozen: () => boolean): Promise<void> {
    const seat = this.#seats.find(({ current }) => current === worker);
    // No seat has three: where one is on its way out, the successor must wait for this one's place.
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
      // One on its way out in each seat, and no more, however often replacements are asked for.
      if (seat.current !== undefined) await seat.leaving?.ended;
      if (this.#stopping) return false;
      const startedMs = this.#ports.nowMs();
      const worker = this.#ports.start();
      if (!(await worker.ready) || this.#stopping) {
        worker.kill();
        return false;
      }
      const old = seat.current;
      seat.current = worker;
      void worker.ended.then((how) => this.#refill(seat, worker, how, startedMs));
      if (old !== undefined && frozen?.isFrozen() === true) this.#killFrozen(old);
      else if (old !== undefined) this.#release(seat, old);
      return true;
    });
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
