/** Compares product and model over a range of seeds, and gives the first difference. */
import { isDeepStrictEqual } from 'node:util';
import { Maker } from './installation.ts';
import { contradictions, planOf } from './model.ts';
import { Product, problemsOf } from './product.ts';

export type Played = {
  readonly seeds: number;
  /** Installations without a contradiction, of which requests are planned. */
  readonly planned: number;
  readonly refused: number;
  readonly withFallbacks: number;
  readonly difference?: { readonly seed: number; readonly says: string };
};

const REQUESTS = 4;

export function runSeeds(from: number, to: number): Played {
  let planned = 0;
  let refused = 0;
  let withFallbacks = 0;
  const played = (seeds: number): Played => ({ seeds, planned, refused, withFallbacks });
  for (let seed = from; seed < to; seed++) {
    const maker = new Maker(seed);
    const installation = maker.installation();
    try {
      const expected = contradictions(installation);
      const found = problemsOf(installation);
      const alone = found.filter((problem) => !/^p\d p\d$/.test(problem));
      const both = found.filter((problem) => !alone.includes(problem));
      // Of three policies that contradict each other, the gateway names two pairs.
      const isAgreed = both.every((pair) => expected.includes(pair)) && both.length > 0 === expected.length > 0;
      if (!isAgreed) throw new Error(says('contradictions', expected, both));
      if (found.length > 0) continue;
      const product = new Product(installation);
      for (let count = 0; count < REQUESTS; count++) {
        const request = maker.request(installation);
        const wanted = planOf(installation, request);
        const got = product.planOf(request);
        if (!isDeepStrictEqual(got, wanted))
          throw new Error(says(JSON.stringify({ installation, request }), wanted, got));
        planned++;
        if ('refused' in wanted) refused++;
        else if (wanted.steps.length > 0) withFallbacks++;
      }
    } catch (error) {
      // A planted mistake may break the planner itself; that is found, too.
      return {
        ...played(seed - from + 1),
        difference: { seed, says: error instanceof Error ? error.message : String(error) },
      };
    }
  }
  return played(to - from);
}

const says = (of: string, wanted: unknown, got: unknown): string =>
  `${of}\n  model:   ${JSON.stringify(wanted)}\n  product: ${JSON.stringify(got)}`;
