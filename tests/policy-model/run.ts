/** `npm run policies:model [installations]`: compares, then hunts every planted mistake. Prints JSON with `ok`. */
import { compilePolicies } from '../../packages/gateway/src/models/policies/compile.ts';
import type { Policy } from '../../packages/gateway/src/models/policies/contract.ts';
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
/** CPU of compiling 10,000 policies of all scopes, in ms. */
function compileCpuMs(): number {
  const policies = Array.from({ length: 10_000 }, (_, index): Policy => {
    const account = `account${index % 2_000}`;
    const scopes = [
      { account },
      { account, key: `key${index}` },
      { tag: `team=t${index}` },
      { account, tag: `app=t${index}` },
    ];
    return {
      name: `policy${index}`,
      scope: scopes[index % scopes.length]!,
      match: { models: [`maker/model${index}`, 'maker/*'], operations: ['text', 'image'] },
      only: ['azure', 'openai'],
      region: ['eu'],
      ...(index % 4 === 0 && { fallbacks: [{ model: `maker/other${index}` }] }),
    };
  });
  const before = process.cpuUsage();
  compilePolicies(policies);
  return process.cpuUsage(before).user / 1000;
}

const compileMs = Math.min(...Array.from({ length: 3 }, compileCpuMs));
const ok = compileMs <= 1_000 && played.difference === undefined && missed.length === 0;
console.log(JSON.stringify({ ok, compileMs, ...played, planted: MUTANTS.length, missed }));
process.exitCode = ok ? 0 : 1;
