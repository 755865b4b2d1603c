/** The real engine behind our HTTP server, in a separate process. chdb is installed on demand, outside the packages. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CACHE = process.env['TRIVIUM_CLICKHOUSE_CACHE'] ?? join(homedir(), '.cache', 'trivium-clickhouse');
const INSTALL_LIMIT_MS = 900_000;
const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const FRONT = fileURLToPath(new URL('front.py', import.meta.url));

function command(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: INSTALL_LIMIT_MS });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error ?? stderr.slice(-2000)}`);
}

/** Gives the interpreter that has chdb. */
function installEngine(): string {
  const python = join(CACHE, 'bin', 'python');
  const stamp = join(CACHE, 'requirements.installed');
  const wanted = readFileSync(REQUIREMENTS, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return python;
  command('python3', ['-m', 'venv', '--clear', CACHE]);
  command(python, ['-m', 'pip', 'install', '--quiet', '--requirement', REQUIREMENTS]);
  writeFileSync(stamp, wanted);
  return python;
}

export type Front = { readonly url: string; close(): Promise<void> };

export async function startFront(): Promise<Front> {
  const python = installEngine();
  const folder = await mkdtemp(join(tmpdir(), 'trivium-clickhouse-'));
  const child: ChildProcess = spawn(python, [FRONT, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout! });
  const first = await Promise.race([once(lines, 'line'), ended.then(() => undefined)]);
  if (first === undefined) throw new Error('the front of ClickHouse did not start');
  return {
    url: `http://127.0.0.1:${first[0]}`,
    close: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
