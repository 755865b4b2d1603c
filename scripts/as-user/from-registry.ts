/**
 * From a registry, in an empty folder, also by README's first line alone: what installs, starts, answers, is drawn and is charged, what that
 * costs in CPU time and packages, what an older Node is told, and that data, prices and keys of the commit before are there after an upgrade.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser, openPage } from '../console/browser.ts';
import { landedBefore, openPreviousRelease } from '../previous-release.ts';
import { cpuOf, endedSeconds } from './cpu.ts';
import { pack } from './from-packages.ts';
import { type Registry, startRegistry } from './local-registry.ts';
import {
  type Dev,
  emptyFolder,
  firstLine,
  installRuntime,
  paste,
  pasteWith,
  spendAs,
  spent,
  startDev,
  typeIn,
} from './stranger.ts';

const NODE = '26.10.0';
const OLD_NODE = '22.20.0';
const BEFORE = '0.0.1-before';
const MOST_CPU_SECONDS = 60;
const MOST_PACKAGES = 125;
/** For an upgrade; one that does not build could never be installed. */
const MOST_COMMITS_TRIED = 3;
/** A price set by the command line, in an upgrade that must keep it. */
const SET_PRICE = 'npx trivium prices set simulator/echo simulator --price prompt=7 completion=9';
const PRICES = 'npx trivium prices list --json';
const INSTALL = 'npm install --no-audit --no-fund --loglevel=error';

type Project = { readonly folder: string; readonly env: NodeJS.ProcessEnv };
type Report = { readonly ok: boolean; readonly failed: readonly string[]; readonly [figure: string]: unknown };

const onNode = (env: NodeJS.ProcessEnv, runtime: string): NodeJS.ProcessEnv => ({
  ...env,
  PATH: `${join(runtime, 'node_modules/.bin')}:${process.env['PATH']}`,
});

/** Packages in a folder; ones with a script that npm would run at install are named. */
function installedIn(folder: string): { readonly count: number; readonly withScripts: readonly string[] } {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const names = Object.keys(lock.packages).filter((path) => path !== '');
  return { count: names.length, withScripts: names.filter((path) => lock.packages[path]?.hasInstallScript === true) };
}

/** The page behind the printed link; gives what was wrong with it. */
async function drawConsole(url: string): Promise<readonly string[]> {
  const browser = await openBrowser();
  try {
    const { page, troubles } = await openPage(await browser.newContext());
    await page.goto(url);
    await page.waitForURL(/\/console\/(requests|overview)/);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    return troubles;
  } finally {
    await browser.close();
  }
}

/** All but the browser: what was typed, and what `dev` is doing once the console is drawn. */
async function stranger({ folder, env }: Project): Promise<Record<string, unknown> & { failed: string[] }> {
  const failed: string[] = [];
  const before = endedSeconds();
  execFileSync('bash', ['-ec', `${INSTALL} trivium`], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const { count, withScripts } = installedIn(folder);
  const dev = await startDev(folder, env);
  try {
    const frames = paste(dev.curl);
    const { spentUsd } = await spendAs(folder, env, dev);
    const typed = endedSeconds() - before;
    failed.push(...(await drawConsole(dev.consoleUrl)).map((trouble) => `console: ${trouble}`));
    const cpuSeconds = Number((typed + cpuOf(folder, dev.pid)).toFixed(1));
    if (cpuSeconds > MOST_CPU_SECONDS) failed.push(`${cpuSeconds} s of CPU, more than ${MOST_CPU_SECONDS}`);
    if (count > MOST_PACKAGES) failed.push(`${count} packages, more than ${MOST_PACKAGES}`);
    if (withScripts.length > 0) failed.push(`scripts at install: ${withScripts.join(', ')}`);
    return { failed, cpuSeconds, packages: count, frames, spentUsd };
  } finally {
    await dev.stop();
  }
}

/** The first line of README in a folder with nothing in it; npm's question whether to install is answered beforehand. */
async function fromNothing({ folder, env }: Project): Promise<{ readonly failed: string[]; readonly seconds: number }> {
  mkdirSync(folder);
  const dev = await startDev(folder, { ...env, npm_config_yes: 'true' }, firstLine());
  try {
    paste(dev.curl);
    const failed = (await drawConsole(dev.consoleUrl)).map((trouble) => `README: console: ${trouble}`);
    const seconds = Number(cpuOf(folder, dev.pid).toFixed(1));
    if (seconds > MOST_CPU_SECONDS) failed.push(`README: ${seconds} s of CPU, more than ${MOST_CPU_SECONDS}`);
    return { failed, seconds };
  } finally {
    await dev.stop();
  }
}

/** An older Node is told so before anything else is. */
function onOldNode({ folder, env }: Project): readonly string[] {
  const { stderr, stdout, status } = spawnSync('bash', ['-c', 'npx trivium dev'], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  const said = `${stdout}${stderr}`.trim().split('\n');
  const isRight = said[0]?.startsWith('trivium: Node.js 24 or newer is needed, this is v22') === true;
  return isRight && said.length === 1 && status === 1 ? [] : [`an older Node: status ${status}: ${said.join(' | ')}`];
}

async function during<T>({ folder, env }: Project, use: (dev: Dev) => Promise<T>): Promise<T> {
  const dev = await startDev(folder, env);
  try {
    return await use(dev);
  } finally {
    await dev.stop();
  }
}

/** The commit before, used, then this one on the same folder. */
async function upgrade(project: Project): Promise<readonly string[]> {
  const { folder, env } = project;
  execFileSync('bash', ['-ec', `${INSTALL} trivium@${BEFORE}`], { cwd: folder, env, stdio: 'inherit' });
  const before = await during(project, async (dev) => {
    typeIn(folder, env, dev.exportLine, SET_PRICE);
    const { key, spentUsd } = await spendAs(folder, env, dev);
    return { key, spentUsd, prices: typeIn(folder, env, dev.exportLine, PRICES) };
  });
  execFileSync('bash', ['-ec', `${INSTALL} trivium@latest`], { cwd: folder, env, stdio: 'inherit' });
  return during(project, async (dev) => {
    const failed: string[] = [];
    const kept = await spent(folder, env, dev.exportLine, () => true);
    if (kept !== before.spentUsd) failed.push(`upgrade: ${before.spentUsd} USD had been spent, and ${kept} afterwards`);
    if (typeIn(folder, env, dev.exportLine, PRICES) !== before.prices) failed.push('upgrade: other prices');
    // The same answer with the same key, at the same price.
    pasteWith(dev.curl, before.key);
    await spent(folder, env, dev.exportLine, (usd) => nanoOf(usd) === 2n * nanoOf(before.spentUsd));
    return failed;
  });
}

const nanoOf = (usd: string): bigint => {
  const [whole = '', part = ''] = usd.split('.');
  return BigInt(`${whole}${part.padEnd(9, '0')}`);
};

/** The last landed commit that builds, under another version. */
function publishBefore(registry: Registry, work: string): { readonly upgradedFrom: string; readonly unbuilt: number } {
  const landed = landedBefore(MOST_COMMITS_TRIED);
  for (const [unbuilt, commit] of landed.entries()) {
    const previous = openPreviousRelease(commit);
    try {
      const packages = join(work, `packages-before-${unbuilt}`);
      const { status } = spawnSync('node', ['scripts/release/pack.ts', packages], {
        cwd: previous.folder,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      if (status !== 0) continue;
      for (const file of readdirSync(packages)) registry.publish(join(packages, file), BEFORE);
      return { upgradedFrom: previous.title, unbuilt };
    } finally {
      previous.close();
    }
  }
  throw new Error(`none of ${landed.join(', ')} builds`);
}

export async function fromRegistry(work: string): Promise<Report> {
  const packages = join(work, 'packages');
  pack(packages);
  const registry = await startRegistry(work);
  try {
    for (const file of readdirSync(packages)) registry.publish(join(packages, file));
    const [node, oldNode] = [join(work, 'node'), join(work, 'old-node')];
    installRuntime(node, NODE);
    installRuntime(oldNode, OLD_NODE);
    const project = { folder: join(work, 'project'), env: onNode(registry.env, node) };
    emptyFolder(project.folder);
    const { failed, ...figures } = await stranger(project);
    const line = await fromNothing({ folder: join(work, 'empty'), env: project.env });
    failed.push(...line.failed);
    failed.push(...onOldNode({ ...project, env: onNode(registry.env, oldNode) }));
    const before = publishBefore(registry, work);
    const upgraded = { folder: join(work, 'upgraded'), env: project.env };
    emptyFolder(upgraded.folder);
    failed.push(...(await upgrade(upgraded)));
    return {
      ok: failed.length === 0,
      failed,
      ...figures,
      firstLine: firstLine(),
      firstLineCpu: line.seconds,
      ...before,
    };
  } finally {
    await registry.stop();
  }
}
