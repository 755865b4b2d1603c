/** Waits with a timeout: for a polled condition, or for a promise. */
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

/** Resolves with the elapsed time in ms; throws with the name of the condition on timeout. */
export async function waitFor(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs: number,
  everyMs = LOOK_EVERY_MS,
): Promise<number> {
  const started = performance.now();
  while (!(await holds())) {
    if (performance.now() - started > limitMs) throw new Error(`${what}: not within ${limitMs} ms`);
    await sleep(everyMs);
  }
  return performance.now() - started;
}

export async function within<T>(what: string, promise: Promise<T>, limitMs: number): Promise<T> {
  const over = new AbortController();
  const late = sleep(limitMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`${what}: not within ${limitMs} ms`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    over.abort();
    late.catch(() => undefined);
  }
}
