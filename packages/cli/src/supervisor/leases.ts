// Limits of all workers, counted by the supervisor: workers ask it for slices over their channel.

import { LeaseServer, type LeaseSource } from '@trivium/gateway/supervisor';
import type { ClusterWorker } from './cluster-worker.ts';
import { isToWorker, type LeasesWanted } from './messages.ts';
import { tell } from './worker-channel.ts';

/** A supervisor that is this late is in trouble, and each worker enforces its share until it answers. */
const ANSWER_LIMIT_MS = 1000;

/** The supervisor's end. */
export class FleetLeases {
  readonly #leases = new LeaseServer();

  answer(worker: ClusterWorker, { id, process, asks }: LeasesWanted): void {
    worker.tell({ kind: 'slices', id, drawn: this.#leases.draw(process, asks, performance.now()) });
  }
}

/** The worker's end: one question at a time, so that its number is all that has to fit. */
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
