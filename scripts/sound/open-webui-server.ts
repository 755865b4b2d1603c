/**
 * Open WebUI, installed outside the checkout without what runs models (torch and CUDA are 6 GB): with the list of packages that
 * it ships for its own slim image. 800 MB; needs Python 3.11 or 3.12. Its data are of one start only.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitFor } from '../../tests/rt/parts/wait.ts';
import { freePort } from '../services/free-port.ts';

const PINS = fileURLToPath(new URL('open-webui.txt', import.meta.url));
const INSTALL_LIMIT_MS = 1_800_000;
const START_LIMIT_MS = 300_000;
const LAST_LINES = 20;
/** Without torch it knows no engine of its own, and asks no one but the hosts it is given. */
const ALONE = {
  USE_SLIM_DOCKER: 'true',
  OFFLINE_MODE: 'true',
  HF_HUB_OFFLINE: '1',
  ENABLE_OLLAMA_API: 'False',
  RAG_EMBEDDING_ENGINE: 'openai',
  WEBUI_AUTH: 'False',
};

function install(judges: string): string {
  const venv = join(judges, 'open-webui');
  const python = join(venv, 'bin/python');
  const stamp = join(venv, 'open-webui.installed');
  const pins = readFileSync(PINS, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === pins) return venv;
  console.log('Open WebUI is installed once: 800 MB and some minutes');
  // pip says at length what is left out on purpose; the error of a failure has it.
  const run = (program: string, args: readonly string[]): string =>
    execFileSync(program, args, { timeout: INSTALL_LIMIT_MS, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  run('python3', ['-m', 'venv', '--clear', venv]);
  run(python, [...pip, '--no-deps', '--requirement', PINS]);
  const packages = run(python, ['-c', 'import sysconfig; print(sysconfig.get_paths()["purelib"])']).trim();
  run(python, [...pip, '--requirement', join(packages, 'requirements-slim.txt')]);
  writeFileSync(stamp, pins);
  return venv;
}

export type OpenWebUi = { readonly url: string; stop(): Promise<void> };

export async function startOpenWebUi(judges: string, settings: Readonly<Record<string, string>>): Promise<OpenWebUi> {
  const program = join(install(judges), 'bin/open-webui');
  const folder = mkdtempSync(join(tmpdir(), 'open-webui-'));
  const log = join(folder, 'log');
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const output = openSync(log, 'w');
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    DATA_DIR: folder,
    WEBUI_SECRET_KEY: folder,
    ...ALONE,
    ...settings,
  };
  const child = spawn(program, ['serve', '--host', '127.0.0.1', '--port', port], {
    cwd: folder,
    env,
    stdio: ['ignore', output, output],
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  };
  const isUp = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`Open WebUI has ended with ${child.exitCode}`);
    return (await fetch(`${url}/health`).catch(() => undefined))?.ok === true;
  };
  try {
    await waitFor('Open WebUI answers', isUp, START_LIMIT_MS);
  } catch (error) {
    console.log(readFileSync(log, 'utf8').split('\n').slice(-LAST_LINES).join('\n'));
    await stop();
    throw error;
  }
  return { url, stop };
}
