/** A real llama.cpp server with the tiny generated model, on a free port, until it is closed. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDER = import.meta.dirname;
const PYTHON = join(FOLDER, '.venv/bin/python');
const START_LIMIT_MS = 60_000;
const POLL_MS = 200;
const MAX_LOG_CHARACTERS = 20_000;

export type LlamaServer = { readonly url: string; close(): void };

export async function startLlama(): Promise<LlamaServer> {
  if (!existsSync(PYTHON)) throw new Error('run scripts/llama/install.sh first: it takes about five minutes');
  const folder = mkdtempSync(join(tmpdir(), 'trivium-llama-'));
  const model = join(folder, 'tiny.gguf');
  execFileSync(PYTHON, [join(FOLDER, 'make_model.py'), model], { stdio: 'inherit' });
  const port = await freePort();
  // By default a new request breaks off the one before it.
  const manners = { interrupt_requests: false, n_ctx: 2048, n_threads: 1 };
  const options = { model, model_alias: 'tiny', host: '127.0.0.1', port, ...manners };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(PYTHON, ['-m', 'llama_cpp.server', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  const url = `http://127.0.0.1:${port}`;
  const close = (): void => {
    child.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(child, url);
  } catch (error) {
    close();
    throw error;
  }
  return { url, close };
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  let log = '';
  const take = (piece: Buffer): void => {
    log = (log + piece.toString()).slice(-MAX_LOG_CHARACTERS);
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  const limit = Date.now() + START_LIMIT_MS;
  while (Date.now() < limit && child.exitCode === null) {
    const response = await fetch(`${url}/v1/models`).catch(() => undefined);
    if (response?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`llama.cpp did not start:\n${log}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
