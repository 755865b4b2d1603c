/** Runs the proof in a thread, with the sources as they are or with a mistake planted in them. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { UsageEvent } from '../../packages/gateway/src/money/usage/event.ts';
import type { Mutant } from './mutants.ts';
import type { Proof } from './prove.ts';

export async function proveInThread(
  url: string,
  seeds: readonly UsageEvent[],
  records: number,
  mutant?: Mutant,
): Promise<Proof> {
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: { url, seeds, records, ...(mutant !== undefined && { mutant }) },
    execArgv: ['--conditions=trivium-source', '--disable-warning=ExperimentalWarning'],
  });
  const [proof] = (await once(worker, 'message')) as [Proof];
  await worker.terminate();
  return proof;
}
