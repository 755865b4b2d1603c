/** Refusals are counted one by one, but logged together: a line for each would add load during overload. */
import type { Clock } from '../kernel/clock.ts';
import type { Log } from './log.ts';

const EVERY_MS = 10_000;

/** To be called periodically with all counts so far. */
export function refusalLog(log: Log, clock: Clock): (counts: ReadonlyMap<string, number>) => void {
  let logged = new Map<string, number>();
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  return (counts) => {
    if (clock.monotonicMs() - loggedAtMs < EVERY_MS) return;
    const changes = [...counts].flatMap(([reason, count]) => {
      const more = count - (logged.get(reason) ?? 0);
      return more > 0 ? [`${reason}: ${more}`] : [];
    });
    if (changes.length === 0) return;
    loggedAtMs = clock.monotonicMs();
    logged = new Map(counts);
    log.warn('requests rejected: overloaded', { problem: changes.join(', ') });
  };
}
