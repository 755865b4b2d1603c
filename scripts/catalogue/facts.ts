// The pinned copy of what foreign tables state: a first line about the sources, then a line for each model, host and source.

import { readFile, writeFile } from 'node:fs/promises';
import type { Sheet } from './sheet.ts';

export interface Source {
  readonly id: string;
  /** Where the package is, its name and version. */
  readonly from: 'npm' | 'PyPI';
  readonly package: string;
  readonly version: string;
}

export interface Fact extends Sheet {
  readonly model: string;
  readonly host: string;
  readonly source: string;
  /** The table's own name for it. */
  readonly as: string;
}

export interface Facts {
  /** YYYY-MM-DD */
  readonly gathered: string;
  readonly sources: readonly Source[];
  readonly facts: readonly Fact[];
}

const FACTS = new URL('facts.jsonl', import.meta.url);

export const readFacts = async (): Promise<Facts> => {
  const [head, ...lines] = (await readFile(FACTS, 'utf8')).trimEnd().split('\n');
  return {
    ...(JSON.parse(head ?? '') as Omit<Facts, 'facts'>),
    facts: lines.map((line) => JSON.parse(line) as Fact),
  };
};

const placeOf = ({ model, host, source }: Fact): string => `${model} ${host} ${source}`;

export const writeFacts = async ({ gathered, sources, facts }: Facts): Promise<void> => {
  const rows = [...facts].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const lines = [{ gathered, sources }, ...rows].map((line) => JSON.stringify(line));
  await writeFile(FACTS, `${lines.join('\n')}\n`);
};
