/** Waits for a condition; throws with its name on timeout. */
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 2;

export async function waitUntil(what: string, holds: () => boolean, deadlineMs = 5000): Promise<void> {
  const until = performance.now() + deadlineMs;
  while (!holds()) {
    if (performance.now() > until) throw new Error(`${what}: not within ${deadlineMs} ms`);
    await sleep(LOOK_EVERY_MS);
  }
}
