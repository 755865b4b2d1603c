// Watchdog: each worker sends a heartbeat every second. A worker that misses heartbeats gets no new connections; one that
// keeps missing them is replaced, later if it uses CPU time meanwhile: then it is busy, and may catch up. It knows neither
// processes nor a clock, so tests can try every order of events.

import type { Config, Log } from '@trivium/gateway';

export interface Watched {
  readonly id: number;
  /** The worker gets no new connections until `resume`. */
  suspend(): void;
  resume(): void;
  /** CPU time used so far in ms; undefined where that is not known. */
  cpuMs(): number | undefined;
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

/** A blocked worker that uses less of one CPU than this is stuck; a busy one gets more even where CPUs are short. */
export const BUSY_SHARE = 0.1;

type Seen = {
  silentMs: number;
  isDebugged: boolean;
  state: 'turning' | 'suspended' | 'given-up';
  /** When it was suspended: its silence and its CPU time until then. */
  since?: { readonly silentMs: number; readonly cpuMs: number | undefined };
};

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
    const { enabled, suspendMs, replaceMs, busyMs } = this.#ports.settings();
    for (const [worker, seen] of this.#seen) {
      if (!enabled || seen.isDebugged) continue;
      seen.silentMs += Math.min(elapsedMs, MOST_PER_LOOK_MS);
      if (seen.silentMs >= suspendMs && seen.state === 'turning') this.#suspend(worker, seen);
      const mayBeGivenUp = seen.silentMs >= replaceMs && seen.state === 'suspended';
      if (mayBeGivenUp && (seen.silentMs >= busyMs || !isBusy(worker, seen))) {
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
    seen.since = { silentMs: seen.silentMs, cpuMs: worker.cpuMs() };
    worker.suspend();
    this.#ports.log.warn('worker unresponsive; no new connections', {
      worker: worker.id,
      forMs: Math.round(seen.silentMs),
    });
  }
}

/** Measured from its suspension on, so that the CPU time of a responsive worker is never read. */
function isBusy(worker: Watched, { silentMs, since }: Seen): boolean {
  const nowMs = worker.cpuMs();
  if (since?.cpuMs === undefined || nowMs === undefined) return false;
  return silentMs > since.silentMs && nowMs - since.cpuMs >= (silentMs - since.silentMs) * BUSY_SHARE;
}
