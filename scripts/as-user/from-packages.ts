/**
 * From packages, as docs/start/install.md says word by word. Packs as the page says, checks the packages with publint, installs
 * them into an empty folder on each supported Node, starts them, follows the printed curl line to a streamed answer, and the
 * tutorial's commands to an account with credit in the database that came along. Prints times and sizes.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOf, commandsOf, emptyFolder, installRuntime, paste, ROOT, spendAs, startDev } from './stranger.ts';

const NODE_VERSIONS = ['24.21.0', '26.10.0'];
/** The folder in which the page puts the packages; each run uses a separate one. */
const FOLDER_ON_PAGE = '/tmp/trivium-packages';

const seconds = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function inFolder(commands: string, folder: string): string {
  if (!commands.includes(FOLDER_ON_PAGE)) throw new Error(`${commands} does not name ${FOLDER_ON_PAGE}`);
  return commands.replaceAll(FOLDER_ON_PAGE, folder);
}

export function pack(into: string): void {
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
  const dev = await startDev(project, env);
  try {
    const frames = paste(dev.curl);
    console.log(
      `Node ${version}: ${installed}; ${commandsOf('start-installed')} → ${frames} frames, [DONE] ${seconds(startedMs)} after nothing`,
    );
    const { spentUsd } = await spendAs(project, env, dev);
    console.log(`Node ${version}: an account has paid in 5 USD and spent ${spentUsd}`);
  } finally {
    await dev.stop();
  }
}

export async function fromPackages(work: string): Promise<void> {
  const packages = join(work, 'packages');
  pack(packages);
  for (const version of NODE_VERSIONS) await tryOn(version, work, packages);
}
