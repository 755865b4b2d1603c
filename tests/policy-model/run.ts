/** `npm run policies:model [installations]`: compares, then hunts every planted mistake. Prints JSON with `ok`. */
import { MUTANTS } from './mutants.ts';
import { playSeeds } from './play.ts';

const DEFAULT = 100_000;
/** Each of them has to be found within this many. */
const HUNTED = 20_000;

const seeds = Number(process.argv[2] ?? DEFAULT);
const played = await playSeeds(0, seeds);
const missed: string[] = [];
for (const mutant of MUTANTS)
  if ((await playSeeds(0, HUNTED, mutant)).difference === undefined) missed.push(mutant.name);
const ok = played.difference === undefined && missed.length === 0;
console.log(JSON.stringify({ ok, ...played, planted: MUTANTS.length, missed }));
process.exitCode = ok ? 0 : 1;
