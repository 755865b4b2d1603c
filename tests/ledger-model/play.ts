/** Plays the simulation in threads, with the sources as they are or with one mistake planted in a copy of them. */
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { MUTANTS, type Mutant } from './mutants.ts';
import type { Played } from './run-seeds.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COPIED = ['packages/gateway/src/money/ledger/core', 'tests/ledger-model'];

/** Splits the seeds evenly; the first violation of any thread is the one reported. */
export async function playSeeds(from: number, to: number, threads: number, root: string = ROOT): Promise<Played> {
  const share = Math.ceil((to - from) / threads);
  const parts = await Promise.all(
    Array.from({ length: threads }, (_, index) =>
      playRange(root, from + index * share, Math.min(to, from + (index + 1) * share)),
    ),
  );
  return parts.reduce((sum, part) => ({
    seeds: sum.seeds + part.seeds,
    requests: sum.requests + part.requests,
    leaseAdmissions: sum.leaseAdmissions + part.leaseAdmissions,
    deaths: sum.deaths + part.deaths,
    ...((sum.violation ?? part.violation) && { violation: (sum.violation ?? part.violation)! }),
  }));
}

async function playRange(root: string, from: number, to: number): Promise<Played> {
  const source = pathToFileURL(join(root, 'tests/ledger-model/run-seeds.ts')).href;
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: { source, from, to },
    // Worlds come and go by the thousand, and nothing of them stays.
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  });
  const [played] = (await once(worker, 'message')) as [Played];
  await worker.terminate();
  return played;
}

export type Hunted = { readonly name: string; readonly foundAfter?: number; readonly says?: string };

/** How many seeds it takes to find each mistake; none if it was not found. */
export async function huntMutants(mutants: readonly Mutant[], mostSeeds: number): Promise<Hunted[]> {
  const hunted: Hunted[] = [];
  for (const mutant of mutants) {
    const root = await mkdtemp(join(tmpdir(), 'trivium-mutant-'));
    try {
      await plant(mutant, root);
      const { seeds, violation } = await playSeeds(0, mostSeeds, 1, root);
      const { name } = mutant;
      hunted.push(violation === undefined ? { name } : { name, foundAfter: seeds, says: violation.says });
    } finally {
      await rm(root, { recursive: true });
    }
  }
  return hunted;
}

async function plant({ name, file, from, to }: Mutant, root: string): Promise<void> {
  for (const folder of COPIED) await cp(join(ROOT, folder), join(root, folder), { recursive: true });
  await writeFile(join(root, 'package.json'), '{ "type": "module" }');
  const text = await readFile(join(root, file), 'utf8');
  if (text.split(from).length !== 2) throw new Error(`"${name}" does not fit ${file} in exactly one place`);
  await writeFile(
    join(root, file),
    text.replace(from, () => to),
  );
}

export { MUTANTS };
