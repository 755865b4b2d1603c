/** Compares a range of seeds in a thread of its own, with one mistake planted in the sources as they are loaded, or none. */
import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { Mutant } from './mutants.ts';
import type { runSeeds } from './run-seeds.ts';

const { from, to, mutant } = workerData as { from: number; to: number; mutant?: Mutant };
if (mutant !== undefined)
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context);
      if (!url.endsWith(`/${mutant.file}`)) return loaded;
      const text = String(loaded.source instanceof Uint8Array ? Buffer.from(loaded.source) : loaded.source);
      return { ...loaded, source: text.replace(mutant.from, () => mutant.to) };
    },
  });
const { runSeeds: play } = (await import('./run-seeds.ts')) as { runSeeds: typeof runSeeds };
parentPort?.postMessage(play(from, to));
