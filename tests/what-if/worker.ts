/** Proves records in a thread of its own, with one mistake planted in the sources as they are loaded, or none. */
import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { UsageEvent } from '../../packages/gateway/src/money/usage/event.ts';
import type * as Multiply from './multiply.ts';
import type { Mutant } from './mutants.ts';
import type * as Prove from './prove.ts';

type Work = {
  readonly url: string;
  readonly seeds: readonly UsageEvent[];
  readonly records: number;
  readonly mutant?: Mutant;
};

const { url, seeds, records, mutant } = workerData as Work;
if (mutant !== undefined)
  registerHooks({
    load: (address, context, next) => {
      const loaded = next(address, context);
      if (!address.endsWith(`/${mutant.file}`)) return loaded;
      const text = String(loaded.source instanceof Uint8Array ? Buffer.from(loaded.source) : loaded.source);
      return { ...loaded, source: text.replace(mutant.from, () => mutant.to) };
    },
  });
try {
  const { multiply } = (await import('./multiply.ts')) as typeof Multiply;
  const { prove } = (await import('./prove.ts')) as typeof Prove;
  parentPort?.postMessage(await prove(url, multiply(seeds, records)));
} catch (error) {
  // A planted mistake may break the replay itself; that is found, too.
  parentPort?.postMessage({ ok: false, problems: [String(error)] });
}
