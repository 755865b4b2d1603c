/** whisper.cpp's own server, compiled outside the checkout, with a tiny generated model; one folder per version. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitFor } from '../../tests/rt/parts/wait.ts';
import { freePort } from '../services/free-port.ts';

const BUILD_LIMIT_MS = 1_800_000;
const START_LIMIT_MS = 60_000;
const MAX_JOBS = 2;
const MAKE_MODEL = fileURLToPath(new URL('make_whisper.py', import.meta.url));
const OFF = 'BUILD_SHARED_LIBS GGML_NATIVE GGML_OPENMP GGML_CCACHE WHISPER_BUILD_TESTS'.split(' ');
const SETTINGS = [
  ...OFF.map((name) => `${name}=OFF`),
  'CMAKE_BUILD_TYPE=Release',
  'CMAKE_C_FLAGS=-w',
  'CMAKE_CXX_FLAGS=-w',
];

/** Its program, and a model that hears nonsense. */
function build(judges: string): { readonly program: string; readonly model: string } {
  const source = join(judges, 'node_modules/nodejs-whisper');
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { version: string };
  const folder = join(judges, `whisper-${version}`);
  const [program, model] = [join(folder, 'bin/whisper-server'), join(folder, 'tiny.bin')];
  const run = (name: string, args: readonly string[]): void => {
    const stdio = ['ignore', 'ignore', 'inherit'] as const;
    execFileSync(join(judges, 'venv/bin', name), args, { timeout: BUILD_LIMIT_MS, stdio: [...stdio] });
  };
  if (!existsSync(program)) {
    console.log('whisper.cpp is compiled once: a C++ compiler and some minutes');
    mkdirSync(folder, { recursive: true });
    const settings = SETTINGS.map((each) => `-D${each}`);
    run('cmake', ['-S', join(source, 'cpp/whisper.cpp'), '-B', folder, ...settings]);
    const jobs = String(Math.min(MAX_JOBS, availableParallelism()));
    run('cmake', ['--build', folder, '--target', 'whisper-server', '--parallel', jobs]);
  }
  run('python', ['-B', MAKE_MODEL, model]);
  return { program, model };
}

export type WhisperServer = { readonly url: string; start(): Promise<void>; stop(): Promise<void> };

/** Not yet started. */
export async function whisperServer(judges: string): Promise<WhisperServer> {
  const { program, model } = build(judges);
  const port = String(await freePort());
  const place = ['--host', '127.0.0.1', '--port', port, '--inference-path', '/v1/audio/transcriptions'];
  const args = ['--model', model, '--threads', '1', ...place];
  const url = `http://127.0.0.1:${port}`;
  let child: ReturnType<typeof spawn> | undefined;
  return {
    url,
    start: async () => {
      child = spawn(program, args, { stdio: 'ignore' });
      const isUp = async (): Promise<boolean> => (await fetch(`${url}/health`).catch(() => undefined))?.ok === true;
      await waitFor('whisper.cpp answers', isUp, START_LIMIT_MS);
    },
    stop: async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
