/**
 * `npm run what-if:exact [records]`: makes calls of every kind, multiplies their records, replays them, and hunts every
 * planted mistake. Prints JSON with `ok`.
 */
import { MUTANTS } from './mutants.ts';
import { proveInThread } from './play.ts';
import { openWhatIfStand, playCalls } from './stand.ts';

const DEFAULT = 200_000;
const ROUNDS = 4;

const records = Number(process.argv[2] ?? DEFAULT);
const stand = await openWhatIfStand();
const { url } = stand.simulator;
const seeds = await playCalls(stand, ROUNDS);
await stand.close();
const missed: string[] = [];
// The real records alone find every mistake.
for (const mutant of MUTANTS) if ((await proveInThread(url, seeds, seeds.length, mutant)).ok) missed.push(mutant.name);
const proof = await proveInThread(url, seeds, records);
const ok = proof.ok && missed.length === 0;
console.log(JSON.stringify({ ...proof, ok, played: seeds.length, planted: MUTANTS.length, missed }));
process.exit(ok ? 0 : 1);
