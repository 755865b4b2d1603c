// Which workers still turn: each gives a sign of life every second. One that is silent gets no new connections, and one
// that stays silent is given up. Knows nothing of processes and keeps no clock, so that every order of events can be tried.

import type { Config, Log } from '@trivium/gateway';

export interface Watched {
  readonly id: number;
  /** No new connections reach it until it is resumed. */
  suspend(): void;
  resume(): void;
}

/** What a worker says of itself with each sign of life. */
export interface SignOfLife {
  /** An open inspector may hold it for as long as it likes. */
  readonly isDebugged: boolean;
}

export interface WatchdogPorts<W extends Watched> {
  readonly settings: () => Config['watchdog'];
  readonly log: Log;
  /** It will not come back by itself. Called once for each worker. */
  giveUp(worker: W): void;
}

export const SIGN_EVERY_MS = 1000;
export const LOOK_EVERY_MS = 500;

/** Between two looks no more than this counts: where the watcher itself stood still, or the machine slept, all of them did. */
export const MOST_PER_LOOK_MS = 2 * LOOK_EVERY_MS;

type Seen = { silentMs: number; isDebugged: boolean; state: 'turning' | 'suspended' | 'given-up' };

export class Watchdog<W extends Watched> {
  readonly #ports: WatchdogPorts<W>;
  readonly #seen = new Map<W, Seen>();

  constructor(ports: WatchdogPorts<W>) {
    this.#ports = ports;
  }

  /** From when it serves. */
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

  heard(worker: W, { isDebugged }: SignOfLife): void {
    const seen = this.#seen.get(worker);
    if (seen === undefined) return;
    if (seen.state !== 'turning') {
      worker.resume();
      this.#ports.log.warn('worker responsive again', { worker: worker.id, forMs: Math.round(seen.silentMs) });
    }
    this.#seen.set(worker, { silentMs: 0, isDebugged, state: 'turning' });
  }

  /** `elapsedMs` since the last look, by the watcher's own clock. */
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
