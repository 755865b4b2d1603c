/**
 * `npm run credentials:judges`: credentials of machines and stores of secrets, judged by other people's programs: the
 * clouds' own libraries beside ours at one recording server, moto, and hvac. Installs them on first use. The last line is
 * JSON; exits 1 unless `ok`. `--record` writes down what the libraries ask.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compareLibraries } from './compare.ts';
import { judgeStores } from './stores.ts';

const { values } = parseArgs({ options: { record: { type: 'boolean' } } });
const HERE = fileURLToPath(new URL('.', import.meta.url));
const CACHE = process.env['TRIVIUM_CREDENTIALS'] ?? join(homedir(), '.cache', 'trivium-credentials');
const INSTALL_LIMIT_MS = 900_000;

/** Installed anew when the pinned versions change. */
function install(pins: string, run: (file: string, args: readonly string[]) => void): void {
  const text = readFileSync(join(HERE, pins), 'utf8');
  const stamp = join(CACHE, `${pins}.installed`);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === text) return;
  run(pins, []);
  writeFileSync(stamp, text);
}

const program = (file: string, args: readonly string[]): void => {
  execFileSync(file, [...args], { cwd: CACHE, timeout: INSTALL_LIMIT_MS, stdio: ['ignore', 'ignore', 'inherit'] });
};

mkdirSync(CACHE, { recursive: true });
install('judges.json', (pins) => {
  copyFileSync(join(HERE, pins), join(CACHE, 'package.json'));
  program('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock']);
});
install('requirements.txt', (pins) => {
  program('python3', ['-m', 'venv', '--clear', 'venv']);
  program(join(CACHE, 'venv/bin/python'), ['-m', 'pip', 'install', '--quiet', '--requirement', join(HERE, pins)]);
});

const findings = [...(await compareLibraries(CACHE, values.record === true)), ...(await judgeStores(CACHE))];
for (const { what, problem } of findings)
  console.log(`${problem === undefined ? 'ok  ' : 'FAIL'}  ${what}${problem === undefined ? '' : `: ${problem}`}`);
const failed = findings.filter(({ problem }) => problem !== undefined).length;
console.log(JSON.stringify({ ok: failed === 0, checked: findings.length, failed }));
process.exitCode = failed === 0 ? 0 : 1;
