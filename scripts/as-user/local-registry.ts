/** A registry of npm packages on this machine, for the time of a run: what is published to it stays there, everything else comes from npm's. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../services/free-port.ts';
import { toolsFolder } from '../tools/go-tool.ts';

const VERDACCIO = '6.10.4';
/** The one that verdaccio asks for fails on a Node of today. */
const NODE_FETCH = '2.7.0';
const START_LIMIT_MS = 180_000;
const OURS = ['trivium', '@trivium/*'];

export type Registry = {
  readonly url: string;
  /** The environment in which npm uses this registry, and a cache of its own. */
  readonly env: NodeJS.ProcessEnv;
  /** Publishes a packed file; under another version, if one is given. */
  publish(tarball: string, version?: string): void;
  stop(): Promise<void>;
};

function install(): string {
  const folder = toolsFolder(`verdaccio-${VERDACCIO}`);
  const program = join(folder, 'node_modules/verdaccio/bin/verdaccio');
  if (existsSync(program)) return program;
  const manifest = { private: true, dependencies: { verdaccio: VERDACCIO }, overrides: { 'node-fetch': NODE_FETCH } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return program;
}

/** From which everything else comes: the one that npm uses here. */
const npmRegistry = (): string => execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();

/** Without accounts: it listens on loopback, for as long as the run takes. */
const settings = (folder: string): string =>
  JSON.stringify({
    storage: join(folder, 'storage'),
    uplinks: { npm: { url: npmRegistry(), cache: false, maxage: '60m' } },
    packages: {
      ...Object.fromEntries(
        OURS.map((name) => [name, { access: '$all', publish: '$anonymous', unpublish: '$anonymous' }]),
      ),
      '**': { access: '$all', proxy: 'npm' },
    },
    max_body_size: '200mb',
    log: { type: 'stdout', format: 'json', level: 'error' },
  });

async function answering(url: string, child: ChildProcess): Promise<void> {
  const limit = performance.now() + START_LIMIT_MS;
  for (;;) {
    const isUp = await fetch(`${url}-/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    if (child.exitCode !== null || performance.now() > limit) throw new Error('the registry did not start');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The same package under another version, which it also asks for of its neighbours. */
function renumber(folder: string, version: string): void {
  const file = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { dependencies?: Record<string, string> };
  const dependencies = Object.fromEntries(
    Object.entries(manifest.dependencies ?? {}).map(([name, of]) => [
      name,
      name.startsWith('@trivium/') ? version : of,
    ]),
  );
  writeFileSync(file, JSON.stringify({ ...manifest, version, dependencies }));
}

export async function startRegistry(work: string): Promise<Registry> {
  const folder = join(work, 'registry');
  mkdirSync(folder);
  const program = install();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const config = join(folder, 'config.yaml');
  writeFileSync(config, settings(folder));
  const child = spawn(process.execPath, [program, '--config', config, '--listen', `127.0.0.1:${port}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  try {
    await answering(url, child);
  } catch (error) {
    await stop();
    throw error;
  }
  const userconfig = join(folder, 'npmrc');
  writeFileSync(userconfig, `registry=${url}\n//127.0.0.1:${port}/:_authToken=nobody\n`);
  // What npm told us of the run we are in is not for the stranger's npm.
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const env = { ...clean, npm_config_userconfig: userconfig, npm_config_cache: join(folder, 'cache') };
  return {
    url,
    env,
    publish: (tarball, version) => {
      const place = mkdtempSync(join(folder, 'publish-'));
      execFileSync('tar', ['-xzf', tarball, '-C', place]);
      const [inner] = readdirSync(place);
      const unpacked = join(place, inner ?? '');
      if (version !== undefined) renumber(unpacked, version);
      const tag = version === undefined ? 'latest' : 'before';
      execFileSync('npm', ['publish', '--ignore-scripts', '--silent', '--tag', tag], {
        cwd: unpacked,
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    },
    stop,
  };
}
