/**
 * No caller and no host takes a worker: attacks by tiny pieces, pipelining, floods, large answers and costly bodies, with a prober and a
 * bystander beside them. The short form judges by counts only; the full form also by waits and memory, and needs an idle machine.
 */
import { FullForm } from '../fair-loop/full.ts';
import { playShort } from '../fair-loop/short.ts';
import { Site } from '../fair-loop/site.ts';
import { allowOpenFiles } from '../parts/process-facts.ts';
import { scenario } from '../scenario.ts';

const OPEN_FILES = 8192;

export const fairLoop = scenario<{ readonly isFull: boolean }>({
  name: 'fair-loop',
  shows: 'no caller and no host takes a worker, with or without a key: others are served, and memory keeps its budget',
  limitMs: { full: 3_600_000 },
  short: { isFull: false },
  full: { isFull: true },
  run: async ({ isFull }, stage) => {
    allowOpenFiles(OPEN_FILES);
    if (isFull) return new FullForm(stage, await Site.open(stage)).play();
    // Counts are judged there: a machine short of processor time must not make the gateway refuse.
    return playShort(stage, await Site.open(stage, { overload: { lagMs: 0 } }));
  },
});
