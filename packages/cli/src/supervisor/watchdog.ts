// Watchdog: each worker sends a heartbeat every second. A worker that misses heartbeats gets no new connections; one that
// keeps missing them is replaced. It knows neither processes nor a clock, so tests can try every order of events.

import type { Config, Log } from '@trivium/gateway';

export interface Watched {
  readonly id: number;
  /** The worker gets no new connections until `resume`. */
  suspend(): void;
  resume(): void;
}

/** What each heartbeat of a worker carries. */
export interface SignOfLife {
  /** The inspector is open: a breakpoint may stop the worker for any length of time. */
  readonly isDebugged: boolean;
}

export interface WatchdogPorts<W extends Watched> {
  readonly settings: () => Config['watchdog'];
  readonly log: Log;
  /** Replaces a worker that will not recover by itself. Called once for each silence of a worker. */
  giveUp(worker: W): void;
}

export const SIGN_EVERY_MS = 1000;
export const LOOK_EVERY_MS = 500;

/** The most silence one look adds: if the supervisor itself was blocked or the machine slept, so was every worker. */
export const MOST_PER_LOOK_MS = 2 * LOOK_EVERY_MS;

type Seen = { silentMs: number; isDebugged: boolean; state: 'turning' | 'suspended' | 'given-up' };

export class Watchdog<W extends Watched> {
  readonly #ports: WatchdogPorts<W>;
  readonly #seen = new Map<W, Seen>();

  constructor(ports: WatchdogPorts<W>) {
    this.#ports = ports;
  }

  /** Call it when the worker begins to serve. */
  follow(worker: W): void {
    this.#seen.set(worker, { silentMs: 0, isDebugged: false, state: 'turning' });
  }

  forget(worker: W): void {
    this.#seen.delete(worker);
  }

  isSilent(worker: W): boolean {
    return (this.#seen.get(worker)?.state ?? 'turning') !== 'turning';
  }

  get suspended(): number {
    return [...this.#seen.values()].filter(({ state }) => state !== 'turning').length;
  }

  heartbeat(worker: W, { isDebugged }: SignOfLife): void {
    const seen = this.#seen.get(worker);
    if (seen === undefined) return;
    if (seen.state !== 'turning') {
      worker.resume();
      this.#ports.log.warn('worker responsive again', { worker: worker.id, forMs: Math.round(seen.silentMs) });
    }
    this.#seen.set(worker, { silentMs: 0, isDebugged, state: 'turning' });
  }

  /** `elapsedMs`: time since the last look, by the supervisor's clock. */
  look(elapsedMs: number): void {
    const { enabled, suspendMs, replaceMs } = this.#ports.settings();
    for (const [worker, seen] of this.#seen) {
      if (!enabled || seen.isDebugged) continue;
      seen.silentMs += Math.min(elapsedMs, MOST_PER_LOOK_MS);
      if (seen.silentMs >= suspendMs && seen.state === 'turning') this.#suspend(worker, seen);
      if (seen.silentMs >= replaceMs && seen.state === 'suspended') {
        seen.state = 'given-up';
        this.#ports.log.error('worker unresponsive; replacing it', {
          worker: worker.id,
          forMs: Math.round(seen.silentMs),
        });
        this.#ports.giveUp(worker);
      }
    }
  }

  #suspend(worker: W, seen: Seen): void {
    seen.state = 'suspended';
    worker.suspend();
    this.#ports.log.warn('worker unresponsive; no new connections', {
      worker: worker.id,
      forMs: Math.round(seen.silentMs),
    });
  }
}
