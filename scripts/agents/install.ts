/** The agents at their pinned versions, in a folder of their own outside the packages. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AgentName } from './agents.ts';

/** Some packages copy their binary by an install script, which we do not run; `program` is the path in the platform's package. */
type Pin = {
  readonly from: 'npm' | 'pypi';
  readonly package: string;
  readonly version: string;
  readonly program: string;
};

const PINS_FILE = new URL('versions.json', import.meta.url);
const PINS: Readonly<Record<AgentName, Pin>> = JSON.parse(readFileSync(PINS_FILE, 'utf8'));
/** Debian's Python if there is one: an unprivileged user cannot reach a Python inside another user's home folder. */
const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';
const INSTALL_LIMIT_MS = 600_000;

/** Below a folder that ordinary users may enter: agents do not run as root. */
const cacheFolder = (): string =>
  process.env['TRIVIUM_AGENTS_CACHE'] ??
  join(process.getuid?.() === 0 ? '/var/cache' : join(homedir(), '.cache'), 'trivium-agents');

export type Installed = { readonly bin: string; readonly path: string; readonly folder: string };

/** Throws when a registry cannot be reached. */
export function installAgent(name: AgentName, newest: boolean): Installed {
  const pin = PINS[name];
  const version = newest ? 'latest' : pin.version;
  const folder = join(cacheFolder(), `${name}-${version}`);
  const bin = join(folder, pin.program);
  if (newest || !existsSync(bin)) {
    mkdirSync(folder, { recursive: true });
    if (pin.from === 'npm') {
      writeFileSync(join(folder, 'package.json'), '{"private":true}');
      const what = `${pin.package}@${version}`;
      command('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', what], folder);
    } else {
      command(PYTHON, ['-m', 'venv', folder], folder);
      const what = newest ? pin.package : `${pin.package}==${version}`;
      command(join(folder, 'bin/pip'), ['install', '--quiet', what], folder);
    }
  }
  return { bin, folder, path: `${join(process.execPath, '..')}:${process.env['PATH']}` };
}

function command(program: string, args: readonly string[], cwd: string): void {
  const { status, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8', timeout: INSTALL_LIMIT_MS });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error ?? stderr.slice(-2000)}`);
}
