/** Checks what a limit admitted against what it allows. */
import type { RateLimit } from './gcra.ts';

export type Admitted = { readonly atMs: number; readonly units: number };

/** Units admitted beyond burst and rate, in the worst span from one admission to another, both included. */
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
