/** What was let through a limit, held against what it says. */
import type { RateLimit } from './gcra.ts';

export type Admitted = { readonly atMs: number; readonly units: number };

/** How much more than its burst and its rate allow was admitted, in the worst span between two admissions, both counted. */
export const mostOver = (admitted: readonly Admitted[], rate: RateLimit): number => {
  let worst = Number.NEGATIVE_INFINITY;
  for (let from = 0; from < admitted.length; from++) {
    let units = 0;
    for (let to = from; to < admitted.length; to++) {
      units += admitted[to]!.units;
      const spanMs = admitted[to]!.atMs - admitted[from]!.atMs;
      worst = Math.max(worst, units - rate.burst - (spanMs * rate.perMinute) / 60_000);
    }
  }
  return worst;
};
