// Child processes of a run: started on a given core, awaited with a deadline, and gone when the harness is gone.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A peer in Python takes half a minute to import itself, on a slow machine several. */
const START_LIMIT_MS = 300_000;
const POLL_MS = 50;
const LOG_TAIL_CHARS = 3_000;

export interface Service {
  readonly name: string;
  readonly pid: number;
  readonly child: ChildProcess;
  readonly logPath: string;
}

const running = new Set<ChildProcess>();

// The kernel kills the child with its parent, even when the harness itself is killed and can clean up nothing.
const pinned = (core: number | string, command: readonly string[]): readonly string[] => [
  'setpriv',
  '--pdeathsig',
  'KILL',
  'taskset',
  '-c',
  String(core),
  ...command,
];

function start(
  core: number | string,
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
  output: number | 'pipe',
) {
  const [program = '', ...args] = pinned(core, command);
  // Its own process group, so that grandchildren are reached too.
  const child = spawn(program, args, { env: environment, stdio: ['ignore', output, output], detached: true });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

export function killAll(): void {
  for (const child of running) {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Already gone.
    }
  }
  running.clear();
}

/** Ends one service, with all it started. */
export async function killService({ child }: Service): Promise<void> {
  if (child.pid === undefined || !running.has(child)) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}

export function startService(
  name: string,
  core: number | string,
  command: readonly string[],
  logPath: string,
  environment: Readonly<Record<string, string>> = {},
): Service {
  const log = openSync(logPath, 'w');
  const child = start(core, command, { ...process.env, NODE_ENV: 'production', ...environment }, log);
  closeSync(log);
  child.on('error', () => {}); // Reported by awaitPort, which sees that there is no process.
  return { name, pid: child.pid ?? -1, child, logPath };
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

export const hasEnded = (service: Service): boolean =>
  service.pid < 0 || service.child.exitCode !== null || service.child.signalCode !== null;

export function describeFailure(service: Service, what: string): Error {
  const tail = readFileSync(service.logPath, 'utf8').slice(-LOG_TAIL_CHARS).trimEnd();
  const command = service.child.spawnargs.join(' ');
  return new Error(`${service.name} ${what}\n  command: ${command}\n  its output ends with:\n${tail || '(nothing)'}`);
}

export async function awaitPort(service: Service, port: number): Promise<void> {
  const deadline = performance.now() + START_LIMIT_MS;
  while (!(await accepts(port))) {
    if (hasEnded(service)) throw describeFailure(service, `ended before it listened (code ${service.child.exitCode})`);
    if (performance.now() > deadline) {
      throw describeFailure(service, `did not listen on port ${port} within ${START_LIMIT_MS} ms`);
    }
    await delay(POLL_MS);
  }
}

/** Runs a program to its end and gives back its standard output. */
export async function runToEnd(
  core: number | string,
  command: readonly string[],
  limitMs: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = start(core, command, { ...process.env, ...environment }, 'pipe');
  const parts: string[] = [];
  const complaints: string[] = [];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => parts.push(text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const [code, signal] = await once(child, 'close').finally(() => clearTimeout(timer));
  if (code !== 0) {
    throw new Error(
      `${command[0]} ended with ${signal ?? `code ${code}`}: ${complaints.join('').trim() || parts.join('').trim()}`,
    );
  }
  return parts.join('');
}
