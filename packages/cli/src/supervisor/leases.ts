// Rate limits of all workers, counted by the supervisor: workers lease tokens from it over IPC.

import { LeaseServer, type LeaseSource } from '@trivium/gateway/supervisor';
import type { ClusterWorker } from './cluster-worker.ts';
import { isToWorker, type LeasesWanted } from './messages.ts';
import { tell } from './worker-channel.ts';

/** After this time without an answer, each worker enforces its own share until the supervisor answers again. */
const ANSWER_LIMIT_MS = 1000;

/** The supervisor's end. */
export class FleetLeases {
  readonly #leases = new LeaseServer();

  answer(worker: ClusterWorker, { id, process, asks }: LeasesWanted): void {
    worker.tell({ kind: 'slices', id, drawn: this.#leases.draw(process, asks, performance.now()) });
  }
}

/** The worker's end: answers are matched to requests by id. */
export function leasesOfSupervisor(): LeaseSource {
  let asked = 0;
  return {
    draw: (own, asks) =>
      new Promise((resolve, reject) => {
        const id = ++asked;
        const late = setTimeout(() => settle(() => reject(new Error('the supervisor is late'))), ANSWER_LIMIT_MS);
        const listen = (message: unknown): void => {
          if (isToWorker(message) && message.kind === 'slices' && message.id === id)
            settle(() => resolve(message.drawn));
        };
        const settle = (end: () => void): void => {
          clearTimeout(late);
          process.off('message', listen);
          end();
        };
        process.on('message', listen);
        void tell({ kind: 'slices-wanted', id, process: own, asks });
      }),
  };
}
