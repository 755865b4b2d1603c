// A worker as a process of Node's cluster: the supervisor holds the listening sockets and hands connections out in turn.

import cluster, { type Worker as Process } from 'node:cluster';
import type { Figures } from '@trivium/gateway/supervisor';
import { cpuMsOf } from './cpu-time.ts';
import type { Worker } from './fleet.ts';
import { HandOff } from './hand-off.ts';
import { copyLines } from './lines.ts';
import { type FromWorker, isFromWorker, type ToWorker } from './messages.ts';
import type { Watched } from './watchdog.ts';

export interface ClusterWorker extends Worker, Watched {
  /** The metrics the worker last reported; kept after it has exited. */
  readonly figures: Figures | undefined;
  /** Resolves when the worker has reported again, or after `limitMs`; at once if it is suspended or gone. */
  refreshFigures(limitMs: number): Promise<void>;
  tell(message: ToWorker): void;
}

export interface WorkerEvents {
  readonly onMessage: (worker: ClusterWorker, message: FromWorker) => void;
  readonly writeLog: (lines: string) => void;
  readonly writeError: (lines: string) => void;
}

/** Loading the catalogue and opening a database take seconds, not minutes. */
const START_LIMIT_MS = 60_000;

/** Called once, before the first worker: each runs this same program with the same arguments. */
export const prepareCluster = (): void => {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ silent: true });
};

export function startClusterWorker(
  env: Readonly<Record<string, string>>,
  { onMessage, writeLog, writeError }: WorkerEvents,
): ClusterWorker {
  const child = cluster.fork(env);
  const handOff = new HandOff(child.process);
  let figures: Figures | undefined;
  const ended = endOf(child);
  const awaitingFigures = new Set<() => void>();
  const answerFigures = (): void => {
    for (const answer of awaitingFigures) answer();
  };
  void ended.then(answerFigures);
  const tell = (message: ToWorker): void => {
    if (child.isConnected()) child.send(message, () => undefined);
  };
  const worker: ClusterWorker = {
    id: child.process.pid ?? 0,
    ended,
    ready: readinessOf(child, ended),
    get figures() {
      return figures;
    },
    refreshFigures: (limitMs) =>
      new Promise((resolve) => {
        if (!child.isConnected() || handOff.isSuspended) {
          resolve();
          return;
        }
        const answer = (): void => {
          clearTimeout(late);
          awaitingFigures.delete(answer);
          resolve();
        };
        const late = setTimeout(answer, limitMs).unref();
        awaitingFigures.add(answer);
        tell({ kind: 'own-figures-wanted' });
      }),
    tell,
    drain: (order) => tell({ kind: 'drain', ...order }),
    kill: () => void child.process.kill('SIGKILL'),
    cpuMs: () => (child.process.pid === undefined ? undefined : cpuMsOf(child.process.pid)),
    suspend: () => {
      handOff.isSuspended = true;
    },
    resume: () => {
      handOff.isSuspended = false;
    },
  };
  child.on('message', (message: unknown) => {
    if (!isFromWorker(message)) return;
    if (message.kind === 'own-figures') {
      figures = message.figures;
      answerFigures();
    }
    onMessage(worker, message);
  });
  copyLines(child.process.stdout, writeLog);
  copyLines(child.process.stderr, writeError);
  return worker;
}

const endOf = (child: Process): Promise<string> =>
  new Promise((resolve) => {
    child.once('exit', (code: number | null, signal: string | null) => resolve(signal ?? `exit code ${code}`));
    // All of them: an error without a listener, e.g. a second connection for a worker that was killed, would end the supervisor.
    child.on('error', (error) => resolve(error.message));
  });

const readinessOf = (child: Process, ended: Promise<string>): Promise<boolean> =>
  new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), START_LIMIT_MS);
    const listen = (message: unknown): void => {
      if (isFromWorker(message) && message.kind === 'ready') settle(true);
    };
    const settle = (isReady: boolean): void => {
      clearTimeout(late);
      child.off('message', listen);
      resolve(isReady);
    };
    child.on('message', listen);
    void ended.then(() => settle(false));
  });
