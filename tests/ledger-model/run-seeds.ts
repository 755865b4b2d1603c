/** Plays a range of seeds and gives the first violation. */
import { World } from './world.ts';

export type Played = {
  readonly seeds: number;
  readonly violation?: { readonly seed: number; readonly says: string };
  readonly requests: number;
  readonly leaseAdmissions: number;
  readonly deaths: number;
};

export function runSeeds(from: number, to: number): Played {
  let requests = 0;
  let leaseAdmissions = 0;
  let deaths = 0;
  for (let seed = from; seed < to; seed++) {
    try {
      const world = new World(seed);
      world.run();
      requests += world.truths.size;
      leaseAdmissions += world.leaseAdmissions;
      deaths += world.deaths.size;
    } catch (error) {
      // A mutant may break the core itself; that is found, too.
      const says = error instanceof Error ? error.message : String(error);
      return { seeds: seed - from + 1, violation: { seed, says }, requests, leaseAdmissions, deaths };
    }
  }
  return { seeds: to - from, requests, leaseAdmissions, deaths };
}
