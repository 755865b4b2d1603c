// The peer: Portkey's gateway from npm, installed with exact versions from the lock file beside this module.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BENCH_KEY, type Contender, requestBody, type UpstreamPorts } from './contender.ts';

const INSTALL_LIMIT_MS = 300_000;
const LOCKED = fileURLToPath(new URL('portkey/', import.meta.url));
const SERVER = 'node_modules/@portkey-ai/gateway/build/start-server.js';

const serverPath = (folder: string): string => join(folder, SERVER);

const sameText = (left: string, right: string): boolean =>
  existsSync(left) && readFileSync(left, 'utf8') === readFileSync(right, 'utf8');

export function portkeyIsInstalled(folder: string): boolean {
  // npm writes its own lock last, so its presence tells a finished installation from an interrupted one.
  const finished = existsSync(join(folder, 'node_modules/.package-lock.json'));
  return (
    finished &&
    existsSync(serverPath(folder)) &&
    sameText(join(folder, 'package-lock.json'), join(LOCKED, 'package-lock.json'))
  );
}

/** npm hands its own settings to the scripts it runs; the inner npm must find its own folder, not the caller's. */
function innerNpmEnvironment(): NodeJS.ProcessEnv {
  const outer = /^npm_(package_|lifecycle_|config_(local_)?prefix$|config_workspace)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !outer.test(name)));
}

export function installPortkey(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(LOCKED, file), join(folder, file));
  const result = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    env: innerNpmEnvironment(),
    encoding: 'utf8',
    timeout: INSTALL_LIMIT_MS,
  });
  if (result.status !== 0 || !portkeyIsInstalled(folder)) {
    const cause = result.error?.message ?? result.stderr;
    throw new Error(`portkey could not be installed (leave it out with --no-portkey):\n${cause}`);
  }
}

export function portkeyContender(folder: string, port: number, upstream: UpstreamPorts): Contender {
  const headers = (upstreamPort: number) => ({
    Authorization: `Bearer ${BENCH_KEY}`,
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
  });
  const path = '/v1/chat/completions';
  return {
    name: 'portkey',
    command: [process.execPath, serverPath(folder), `--port=${port}`, '--headless'],
    targets: {
      json: { port, path, headers: headers(upstream.json), body: requestBody('json') },
      stream: { port, path, headers: headers(upstream.paced), body: requestBody('stream') },
    },
  };
}
