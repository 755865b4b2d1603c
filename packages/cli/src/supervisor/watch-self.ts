// Watchdog of a process without a supervisor: a thread checks the event loop and kills the process if the loop is blocked for
// too long (longer while the process uses CPU time), so that systemd or the container runtime can restart it.

import type { writeSync } from 'node:fs';
import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { BUSY_SHARE, LOOK_EVERY_MS, MOST_PER_LOOK_MS, SIGN_EVERY_MS } from './watchdog.ts';

/** Indexes into the memory that both threads share. */
const PLACES = {
  /** Counts up once a second while the event loop runs. */
  turns: 0,
  /** 1 while a debugger may stop the process. */
  debugged: 1,
  /** Longest block of the event loop in ms; 0: no limit. */
  limitMs: 2,
  /** Longest block while the process uses CPU time. */
  busyMs: 3,
  /** 1 when the watch is stopped. */
  over: 4,
};

const THREAD_HEAP_MB = 16;

type ThreadData = {
  readonly shared: Int32Array;
  readonly places: typeof PLACES;
  readonly lookEveryMs: number;
  readonly mostPerLookMs: number;
  readonly busyShare: number;
};

export interface SelfLimits {
  /** Longest block of the event loop in ms; 0 switches the watch off. */
  readonly replaceMs: number;
  /** The same while the process uses CPU time. */
  readonly busyMs: number;
}

export interface SelfWatch {
  setLimits(limits: SelfLimits): void;
  stop(): void;
}

export function watchSelf(limits: SelfLimits, onTrouble: (error: Error) => void): SelfWatch {
  const shared = new Int32Array(new SharedArrayBuffer(Object.keys(PLACES).length * Int32Array.BYTES_PER_ELEMENT));
  const turn = (): void => {
    Atomics.add(shared, PLACES.turns, 1);
    Atomics.store(shared, PLACES.debugged, inspectorUrl() === undefined ? 0 : 1);
  };
  const setLimits = ({ replaceMs, busyMs }: SelfLimits): void => {
    Atomics.store(shared, PLACES.limitMs, replaceMs);
    Atomics.store(shared, PLACES.busyMs, busyMs);
  };
  setLimits(limits);
  turn();
  const turning = setInterval(turn, SIGN_EVERY_MS).unref();
  const thread = new Worker(
    `(${watchFromThread})(require('node:worker_threads').workerData, require('node:fs').writeSync)`,
    {
      eval: true,
      workerData: {
        shared,
        places: PLACES,
        lookEveryMs: LOOK_EVERY_MS,
        mostPerLookMs: MOST_PER_LOOK_MS,
        busyShare: BUSY_SHARE,
      } satisfies ThreadData,
      // None of the process's own options: no inspector, no modules loaded before ours.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
    },
  );
  thread.unref();
  thread.on('error', onTrouble);
  return {
    setLimits,
    stop: () => {
      clearInterval(turning);
      Atomics.store(shared, PLACES.over, 1);
      Atomics.notify(shared, PLACES.over);
    },
  };
}

/**
 * The thread's whole program, so it uses nothing of this module. It sleeps between checks and costs almost nothing. With the
 * event loop blocked no signal handler can run, so it ends the process by a signal that cannot be handled.
 */
function watchFromThread(data: ThreadData, write: typeof writeSync): void {
  const { shared, places, lookEveryMs, mostPerLookMs, busyShare } = data;
  const cpuMs = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  const stderr = 2;
  let seenTurns = -1;
  let silentMs = 0;
  let cpuBeforeMs = cpuMs();
  let lookedAtMs = performance.now();
  while (Atomics.wait(shared, places.over, 0, lookEveryMs) === 'timed-out') {
    const nowMs = performance.now();
    const turns = Atomics.load(shared, places.turns);
    const limitMs = Atomics.load(shared, places.limitMs);
    const mayStandStill = limitMs === 0 || Atomics.load(shared, places.debugged) === 1;
    if (turns !== seenTurns || mayStandStill) {
      silentMs = 0;
      cpuBeforeMs = cpuMs();
    } else silentMs += Math.min(nowMs - lookedAtMs, mostPerLookMs);
    seenTurns = turns;
    lookedAtMs = nowMs;
    if (mayStandStill || silentMs < limitMs) continue;
    const isBusy = cpuMs() - cpuBeforeMs >= silentMs * busyShare;
    if (isBusy && silentMs < Atomics.load(shared, places.busyMs)) continue;
    const msg = 'event loop blocked; killing the process';
    const line = { level: 'error', time: new Date().toISOString(), forMs: Math.round(silentMs), msg };
    write(stderr, `${JSON.stringify(line)}\n`);
    process.kill(process.pid, 'SIGKILL');
    return;
  }
}
