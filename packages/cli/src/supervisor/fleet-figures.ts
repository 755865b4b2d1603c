// Metrics of all workers, for the worker that answers a scrape. Counters of workers that have exited stay in the sums.

import { type Figures, lastingFigures, sumLasting } from '@trivium/gateway/supervisor';
import type { ClusterWorker } from './cluster-worker.ts';
import type { Census } from './fleet.ts';

/** A scrape waits no longer for one worker; it then uses the metrics that worker last reported. */
const WORKER_LIMIT_MS = 2000;

export class FleetFigures {
  #gone: Figures = [];

  /** Call it for each worker when it is started. */
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

/** The supervisor's own metrics in Prometheus text format. */
export const figuresOfSupervisor = (
  { serving, leaving, replaced, fallen, frozen }: Census,
  suspended: number,
): string =>
  [
    '# HELP trivium_workers Worker processes now.',
    '# TYPE trivium_workers gauge',
    `trivium_workers{state="serving"} ${serving}`,
    `trivium_workers{state="leaving"} ${leaving}`,
    '# HELP trivium_workers_suspended Worker processes that are unresponsive and get no new connections.',
    '# TYPE trivium_workers_suspended gauge',
    `trivium_workers_suspended ${suspended}`,
    '# HELP trivium_workers_ended_total Worker processes that have ended.',
    '# TYPE trivium_workers_ended_total counter',
    `trivium_workers_ended_total{why="replaced"} ${replaced}`,
    `trivium_workers_ended_total{why="fallen"} ${fallen}`,
    `trivium_workers_ended_total{why="frozen"} ${frozen}`,
    '',
  ].join('\n');
