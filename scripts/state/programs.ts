/** Clients in Python, in an environment that is made again when their pinned versions change. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Outside the packages: these are other people's programs. */
const CACHE = process.env['TRIVIUM_STATE_CLIENTS'] ?? join(homedir(), '.cache', 'trivium-state-clients');
const INSTALL = { timeout: 900_000 };
const PLAY_LIMIT_MS = 300_000;

export const PROGRAMS = ['openai_python', 'openai_agents', 'langchain_openai_stored'];

export async function installed(): Promise<string> {
  const requirements = join(HERE, 'requirements.txt');
  const pins = readFileSync(requirements, 'utf8');
  const stamp = join(CACHE, 'requirements.installed');
  const python = join(CACHE, 'bin', 'python');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === pins) return python;
  mkdirSync(CACHE, { recursive: true });
  await run('python3', ['-m', 'venv', '--clear', CACHE], INSTALL);
  const wanted = ['--quiet', '--disable-pip-version-check', '--requirement', requirements];
  await run(python, ['-m', 'pip', 'install', ...wanted], INSTALL);
  writeFileSync(stamp, pins);
  return python;
}

type Verdict = { readonly name: string; readonly problem: string | null };

/** What a program says of its checks; one that breaks off is a problem of its own. */
export async function* verdictsOf(
  python: string,
  program: string,
  env: Readonly<Record<string, string>>,
): AsyncGenerator<Verdict> {
  const child = spawn(python, [join(HERE, 'python', `${program}.py`)], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: PLAY_LIMIT_MS,
  });
  const ended = new Promise<number | string | null>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', resolve);
  });
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line) as Verdict;
  const code = await ended;
  if (code !== 0) yield { name: program, problem: `ended with ${code}` };
}
