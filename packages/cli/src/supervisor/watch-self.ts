// A process without a supervisor watches itself: a thread looks whether the event loop still turns, and ends the process when
// it has not for too long, so that whatever runs it can start it again.

import type { writeSync } from 'node:fs';
import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { LOOK_EVERY_MS, MOST_PER_LOOK_MS, SIGN_EVERY_MS } from './watchdog.ts';

/** The places of the numbers both threads see. */
const PLACES = {
  /** How often the loop has turned. */
  turns: 0,
  /** 1 while a debugger may hold it. */
  debugged: 1,
  /** How long it may not turn; 0: for ever. */
  limitMs: 2,
  /** 1 at the end of the watch. */
  over: 3,
};

const THREAD_HEAP_MB = 16;

type ThreadData = {
  readonly shared: Int32Array;
  readonly places: typeof PLACES;
  readonly lookEveryMs: number;
  readonly mostPerLookMs: number;
};

export interface SelfWatch {
  /** 0 switches it off. */
  setLimit(limitMs: number): void;
  stop(): void;
}

export function watchSelf(limitMs: number, onTrouble: (error: Error) => void): SelfWatch {
  const shared = new Int32Array(new SharedArrayBuffer(Object.keys(PLACES).length * Int32Array.BYTES_PER_ELEMENT));
  const turn = (): void => {
    Atomics.add(shared, PLACES.turns, 1);
    Atomics.store(shared, PLACES.debugged, inspectorUrl() === undefined ? 0 : 1);
  };
  Atomics.store(shared, PLACES.limitMs, limitMs);
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
      } satisfies ThreadData,
      // None of the process's own options: no inspector, no modules loaded before ours.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
    },
  );
  thread.unref();
  thread.on('error', onTrouble);
  return {
    setLimit: (ms) => void Atomics.store(shared, PLACES.limitMs, ms),
    stop: () => {
      clearInterval(turning);
      Atomics.store(shared, PLACES.over, 1);
      Atomics.notify(shared, PLACES.over);
    },
  };
}

/**
 * The thread's whole program, which is why it uses nothing of this module. It only waits, and so costs nothing. No handler
 * of ours could run any more when it ends the process, so only a signal that needs none will do.
 */
function watchFromThread(data: ThreadData, write: typeof writeSync): void {
  const { shared, places, lookEveryMs, mostPerLookMs } = data;
  const stderr = 2;
  let seenTurns = -1;
  let silentMs = 0;
  let lookedAtMs = performance.now();
  while (Atomics.wait(shared, places.over, 0, lookEveryMs) === 'timed-out') {
    const nowMs = performance.now();
    const turns = Atomics.load(shared, places.turns);
    const limitMs = Atomics.load(shared, places.limitMs);
    const mayStandStill = limitMs === 0 || Atomics.load(shared, places.debugged) === 1;
    if (turns !== seenTurns || mayStandStill) silentMs = 0;
    else silentMs += Math.min(nowMs - lookedAtMs, mostPerLookMs);
    seenTurns = turns;
    lookedAtMs = nowMs;
    if (mayStandStill || silentMs < limitMs) continue;
    const msg = 'the process does not turn and is ended';
    const line = { level: 'error', time: new Date().toISOString(), forMs: Math.round(silentMs), msg };
    write(stderr, `${JSON.stringify(line)}\n`);
    process.kill(process.pid, 'SIGKILL');
    return;
  }
}
