// One set of figures for all workers. What workers that are gone have counted still counts.

import { type Figures, lastingFigures, renderFigures, sumFigures } from '@trivium/gateway';
import type { ClusterWorker } from './cluster-worker.ts';
import type { Census } from './fleet.ts';

/** A scrape does not wait longer for a worker; it then takes what that one said last. */
const WORKER_LIMIT_MS = 2000;

export class FleetFigures {
  #gone: Figures = [];

  /** To be called for each worker when it is started. */
  follow(worker: ClusterWorker): void {
    void worker.ended.then(async () => {
      if (worker.figures !== undefined) this.#gone = await sumFigures([this.#gone, lastingFigures(worker.figures)]);
    });
  }

  async render(workers: readonly ClusterWorker[], census: Census, suspended: number): Promise<string> {
    await Promise.all(workers.map((worker) => worker.refreshFigures(WORKER_LIMIT_MS)));
    const living = workers.flatMap(({ figures }) => (figures === undefined ? [] : [figures]));
    return `${await renderFigures([...living, this.#gone])}\n${ownFigures(census, suspended)}`;
  }
}

const ownFigures = ({ serving, leaving, replaced, fallen, frozen }: Census, suspended: number): string =>
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
