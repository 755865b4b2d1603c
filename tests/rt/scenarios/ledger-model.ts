/** The ledger's core in simulated worlds full of accidents; and again with mistakes planted in it, which must show. */
import { huntMutants, MUTANTS, playSeeds } from '../../ledger-model/play.ts';
import { rounded } from '../parts/load.ts';
import { atLeast, atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly seeds: number; readonly mostSeconds: number };

const THREADS = 2;
const SEEDS_PER_MUTANT = 2_000;

async function run({ seeds, mostSeconds }: Parameters): Promise<Outcome> {
  const started = performance.now();
  const played = await playSeeds(0, seeds, THREADS);
  const seconds = (performance.now() - started) / 1000;
  if (played.violation !== undefined) console.log(`seed ${played.violation.seed}: ${played.violation.says}`);
  const hunted = await huntMutants(MUTANTS, SEEDS_PER_MUTANT);
  for (const { name, foundAfter, says } of hunted)
    console.log(`${String(foundAfter ?? 'not found').padStart(9)}  ${name}${says === undefined ? '' : ` (${says})`}`);
  const { requests, leaseAdmissions, deaths } = played;
  return {
    figures: {
      seeds: played.seeds,
      seconds: rounded(seconds, 1),
      requests,
      leaseAdmissions,
      deaths,
      mutants: hunted.length,
      slowestMutantSeeds: Math.max(...hunted.map(({ foundAfter = SEEDS_PER_MUTANT }) => foundAfter)),
    },
    checks: [
      exactly('violations of I1–I12', played.violation === undefined ? 0 : 1, 0),
      exactly('seeds played', played.seeds, seeds),
      atMost('seconds for the seeds', rounded(seconds, 1), mostSeconds),
      atLeast('mutants planted', hunted.length, 12),
      exactly('mutants not found', hunted.filter(({ foundAfter }) => foundAfter === undefined).length, 0),
    ],
  };
}

export const ledgerModel = scenario<Parameters>({
  name: 'ledger-model',
  shows: 'no accident makes money wrong in the core of the ledger, and every planted mistake is found',
  short: { seeds: 15_000, mostSeconds: 60 },
  full: { seeds: 200_000, mostSeconds: 60 },
  run,
});
