/**
 * `npm run credentials:judges`: credentials of machines and stores of secrets, judged by other people's programs: the
 * clouds' own libraries beside ours at one recording server, moto, and hvac. Installs them on first use. The last line is
 * JSON; exits 1 unless `ok`. `--record` writes down what the libraries ask.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installJudges } from '../tools/judges.ts';
import { compareLibraries } from './compare.ts';
import { judgeStores } from './stores.ts';

const { values } = parseArgs({ options: { record: { type: 'boolean' } } });
const CACHE = installJudges(fileURLToPath(new URL('.', import.meta.url)), 'credentials');

const findings = [...(await compareLibraries(CACHE, values.record === true)), ...(await judgeStores(CACHE))];
for (const { what, problem } of findings)
  console.log(`${problem === undefined ? 'ok  ' : 'FAIL'}  ${what}${problem === undefined ? '' : `: ${problem}`}`);
const failed = findings.filter(({ problem }) => problem !== undefined).length;
console.log(JSON.stringify({ ok: failed === 0, checked: findings.length, failed }));
process.exitCode = failed === 0 ? 0 : 1;
