/** Runs the comparison in threads, with the sources as they are or with a mistake planted in them. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Mutant } from './mutants.ts';
import type { Played } from './run-seeds.ts';

export async function playSeeds(from: number, to: number, mutant?: Mutant): Promise<Played> {
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: { from, to, ...(mutant !== undefined && { mutant }) },
    execArgv: ['--conditions=trivium-source', '--disable-warning=ExperimentalWarning'],
  });
  const [played] = (await once(worker, 'message')) as [Played];
  await worker.terminate();
  return played;
}
