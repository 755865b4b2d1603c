// The figures of all workers, for the one that is asked to put them together. What workers that are gone have counted still counts.

import { type Figures, lastingFigures, sumLasting } from '@trivium/gateway/supervisor';
import type { ClusterWorker } from './cluster-worker.ts';
import type { Census } from './fleet.ts';

/** A scrape does not wait longer for a worker; it then takes what that one said last. */
const WORKER_LIMIT_MS = 2000;

export class FleetFigures {
  #gone: Figures = [];

  /** To be called for each worker when it is started. */
  follow(worker: ClusterWorker): void {
    void worker.ended.then(() => {
      if (worker.figures !== undefined) this.#gone = sumLasting([this.#gone, lastingFigures(worker.figures)]);
    });
  }

  async collect(workers: readonly ClusterWorker[]): Promise<readonly Figures[]> {
    await Promise.all(workers.map((worker) => worker.refreshFigures(WORKER_LIMIT_MS)));
    return [...workers.flatMap(({ figures }) => (figures === undefined ? [] : [figures])), this.#gone];
  }
}

/** The supervisor's own, as text. */
export const figuresOfSupervisor = (
  { serving, leaving, replaced, fallen, frozen }: Census,
  suspended: number,
): string =>
  [
    '# HELP trivium_workers Worker processes now.',
    '# TYPE trivium_workers gauge',
    `trivium_workers{state="serving"} ${serving}`,
    `trivium_workers{state="leaving"} ${leaving}`,
    '# HELP trivium_workers_suspended Worker processes that do not turn and get no new connections.',
    '# TYPE trivium_workers_suspended gauge',
    `trivium_workers_suspended ${suspended}`,
    '# HELP trivium_workers_ended_total Worker processes that have ended.',
    '# TYPE trivium_workers_ended_total counter',
    `trivium_workers_ended_total{why="replaced"} ${replaced}`,
    `trivium_workers_ended_total{why="fallen"} ${fallen}`,
    `trivium_workers_ended_total{why="frozen"} ${frozen}`,
    '',
  ].join('\n');
