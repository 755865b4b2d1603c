/**
 * The ledger's core in simulations full of failures; again with planted bugs, which must be detected; and compared
 * with the SQL that does the same in PostgreSQL.
 */
import { huntMutants, MUTANTS, playSeeds } from '../../ledger-model/play.ts';
import { type Compared, compareSequences } from '../../ledger-sql/equal-states.ts';
import { freshDatabase } from '../../support/database.ts';
import { rounded } from '../parts/load.ts';
import { atLeast, atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly seeds: number; readonly mostSeconds: number; readonly sequences: number };

const THREADS = 2;
const SEEDS_PER_MUTANT = 4_000;

async function run({ seeds, mostSeconds, sequences }: Parameters): Promise<Outcome> {
  const started = performance.now();
  const usedBefore = process.cpuUsage();
  const played = await playSeeds(0, seeds, THREADS);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(usedBefore);
  // What the clock would say if each thread had a processor for itself.
  const undisturbedSeconds = rounded((user + system) / 1e6 / THREADS, 1);
  if (played.violation !== undefined) console.log(`seed ${played.violation.seed}: ${played.violation.says}`);
  const hunted = await huntMutants(MUTANTS, SEEDS_PER_MUTANT);
  for (const { name, foundAfter, says } of hunted)
    console.log(`${String(foundAfter ?? 'not found').padStart(9)}  ${name}${says === undefined ? '' : ` (${says})`}`);
  const compared = await compareWithSql(sequences);
  if (compared.difference !== undefined) console.log(compared.difference);
  const { requests, leaseAdmissions, deaths } = played;
  return {
    figures: {
      seeds: played.seeds,
      seconds: rounded(seconds, 1),
      undisturbedSeconds,
      requests,
      leaseAdmissions,
      deaths,
      mutants: hunted.length,
      sequencesInSql: compared.sequences,
      commandsInSql: compared.commands,
      slowestMutantSeeds: Math.max(...hunted.map(({ foundAfter = SEEDS_PER_MUTANT }) => foundAfter)),
    },
    checks: [
      exactly('violations of I1–I12', played.violation === undefined ? 0 : 1, 0),
      exactly('seeds played', played.seeds, seeds),
      atMost('seconds for the seeds, a processor for each thread', undisturbedSeconds, mostSeconds),
      atLeast('mutants planted', hunted.length, 12),
      exactly('sequences with equal states in core and SQL', compared.sequences, sequences),
      exactly('mutants not found', hunted.filter(({ foundAfter }) => foundAfter === undefined).length, 0),
    ],
  };
}

async function compareWithSql(sequences: number): Promise<Compared> {
  const database = await freshDatabase();
  try {
    return await compareSequences(database.url, 0, sequences);
  } finally {
    await database.drop();
  }
}

export const ledgerModel = scenario<Parameters>({
  name: 'ledger-model',
  shows: 'no accident makes money wrong in the core of the ledger, and every planted mistake is found',
  short: { seeds: 10_000, mostSeconds: 60, sequences: 120 },
  full: { seeds: 1_000_000, mostSeconds: 400, sequences: 4_000 },
  run,
});
