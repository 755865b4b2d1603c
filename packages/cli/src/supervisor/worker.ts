// The worker's end of the IPC channel: reports that it is ready, sends heartbeats and metrics, and drains on command.

import cluster from 'node:cluster';
import { url as inspectorUrl } from 'node:inspector';
import { type Gateway, renderFigures } from '@trivium/gateway';
import { type DrainOrder, isToWorker, type ToWorker } from './messages.ts';
import { SIGN_EVERY_MS } from './watchdog.ts';
import { tell } from './worker-channel.ts';

/** How long the supervisor may take to collect the metrics of all workers. */
const FIGURES_LIMIT_MS = 5000;

type FleetAnswer = Extract<ToWorker, { readonly kind: 'all-figures' }>;

export const isWorker = (): boolean => cluster.isWorker;

/** Asks the supervisor for the metrics of all workers: a scrape of any worker's admin listener returns all of them. */
export const allFigures = async (): Promise<string> => {
  const { ofWorkers, text } = await askForFigures();
  return `${await renderFigures(ofWorkers)}\n${text}`;
};

const askForFigures = (): Promise<FleetAnswer> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => settle(() => reject(new Error('the supervisor does not answer'))), FIGURES_LIMIT_MS);
    const listen = (message: unknown): void => {
      if (isToWorker(message) && message.kind === 'all-figures') settle(() => resolve(message));
    };
    const settle = (end: () => void): void => {
      clearTimeout(late);
      process.off('message', listen);
      end();
    };
    process.on('message', listen);
    void tell({ kind: 'all-figures-wanted' });
  });

/** Resolves when a drain command came, or the supervisor is gone, and the gateway has closed. */
export async function serveSupervised(gateway: Gateway, onSignal: (listener: () => void) => void): Promise<void> {
  // Without a supervisor no new connection arrives, but running requests may finish; cluster would exit at once.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
  const ordered = new Promise<DrainOrder>((resolve) => {
    process.once('disconnect', () => resolve({ handover: true, noticeMs: 0 }));
    process.on('message', (message) => {
      if (!isToWorker(message)) return;
      if (message.kind === 'drain') resolve(message);
      else if (message.kind === 'own-figures-wanted') void tellFigures(gateway);
    });
  });
  onSignal(() => void tell({ kind: 'wants-replacement' }));
  await tell({ kind: 'ready' });
  giveSigns();
  const { handover, noticeMs } = await ordered;
  await gateway.close({ handover, noticeMs });
  await tellFigures(gateway);
}

/** Sends heartbeats until the process exits; at most one is queued if the supervisor does not read. */
function giveSigns(): void {
  let isUnderWay = false;
  const sign = (): void => {
    if (isUnderWay) return;
    isUnderWay = true;
    void tell({ kind: 'alive', isDebugged: inspectorUrl() !== undefined }).then(() => {
      isUnderWay = false;
    });
  };
  sign();
  setInterval(sign, SIGN_EVERY_MS).unref();
}

const tellFigures = async (gateway: Gateway): Promise<void> =>
  tell({ kind: 'own-figures', figures: await gateway.figures() });
