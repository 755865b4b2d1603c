/** A real process under test: it can be stopped, killed and read from outside, and never outlives the scenario. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneShot } from './one-shot.ts';
import { waitFor, within } from './wait.ts';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const COMMAND = 'packages/cli/src/main.ts';
/** In ms, for a busy machine; an idle one needs two seconds. */
const START_LIMIT_MS = 180_000;
const LOOK_LIMIT_MS = 1000;
const END_LIMIT_MS = 10_000;
const LOG_TAIL_CHARACTERS = 3000;

export type Child = {
  readonly name: string;
  readonly pid: number;
  readonly process: ChildProcess;
  readonly logPath: string;
  signal(signal: NodeJS.Signals): void;
  /** Kills it, and resolves when it is gone. */
  kill(): Promise<void>;
};

export type ChildOptions = {
  /** Options of Node itself, before the program. */
  readonly node?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A channel for messages beside the standard streams. */
  readonly channel?: boolean;
  /** Another checkout instead of this one. */
  readonly checkout?: string;
};

/** Starts `trivium <args>` from the sources. Its output goes to a file in `folder`. */
export function startTrivium(name: string, args: readonly string[], folder: string, options: ChildOptions = {}): Child {
  const logPath = join(folder, `${name}.log`);
  const log = openSync(logPath, 'a');
  const command = join(options.checkout ?? ROOT, COMMAND);
  const node = [process.execPath, '--conditions=trivium-source', ...(options.node ?? []), command, ...args];
  // The kernel kills it with this process, even when this process is killed and cannot clean up.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...node], {
    env: { ...process.env, NODE_ENV: 'production', ...options.env },
    stdio: ['ignore', log, log, ...(options.channel === true ? ['ipc' as const] : [])],
  });
  closeSync(log);
  child.on('error', () => {}); // The wait for its listener reports it.
  return {
    name,
    pid: child.pid ?? -1,
    process: child,
    logPath,
    signal: (signal) => void child.kill(signal),
    kill: async () => {
      if (hasEnded(child)) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await within(`${name} ends when killed`, ended, END_LIMIT_MS);
    },
  };
}

export const hasEnded = (child: ChildProcess): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

const answers = async (url: string): Promise<boolean> => {
  try {
    return (await oneShot('GET', url, LOOK_LIMIT_MS)).status === 200;
  } catch {
    return false;
  }
};

/** Waits until the address answers with 200. */
export async function awaitReady({ name, process: child, logPath }: Child, url: string): Promise<void> {
  try {
    await waitFor(
      `${name} answers`,
      async () => {
        if (hasEnded(child)) throw new Error(`${name} ended before it listened`);
        return answers(url);
      },
      START_LIMIT_MS,
    );
  } catch (error) {
    const tail = readFileSync(logPath, 'utf8').slice(-LOG_TAIL_CHARACTERS).trimEnd();
    throw new Error(`${(error as Error).message}; its output ends with:\n${tail || '(nothing)'}`);
  }
}
