// The verdicts: one line for each difference, with the reason why ours stands.

import { readFile } from 'node:fs/promises';
import type { Verdict } from './compare.ts';

export const readVerdicts = async (): Promise<readonly Verdict[]> =>
  (await readFile(new URL('verdicts.jsonl', import.meta.url), 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Verdict);
