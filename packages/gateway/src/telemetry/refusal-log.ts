/** Refusals are counted one by one, but told of together: a line for each would be load on top of load. */
import type { Clock } from '../kernel/clock.ts';
import type { Log } from './log.ts';

const EVERY_MS = 10_000;

/** To be called every now and then with all counts so far. */
export function refusalLog(log: Log, clock: Clock): (counts: ReadonlyMap<string, number>) => void {
  let told = new Map<string, number>();
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return (counts) => {
    if (clock.monotonicMs() - toldAtMs < EVERY_MS) return;
    const news = [...counts].flatMap(([reason, count]) => {
      const more = count - (told.get(reason) ?? 0);
      return more > 0 ? [`${reason}: ${more}`] : [];
    });
    if (news.length === 0) return;
    toldAtMs = clock.monotonicMs();
    told = new Map(counts);
    log.warn('requests rejected: overloaded', { problem: news.join(', ') });
  };
}
