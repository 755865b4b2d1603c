/** Before a run: the schemas, made once, and a file for the counts of all stands. After it: their sum, in one line. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generatedSchemas } from './schemas.ts';
import { COUNTS_FILE } from './watch.ts';

export function setup(): () => void {
  generatedSchemas();
  const folder = mkdtempSync(join(tmpdir(), 'trivium-contract-'));
  const file = join(folder, 'counts');
  writeFileSync(file, '');
  process.env[COUNTS_FILE] = file;
  return () => {
    console.log(contractLine(readFileSync(file, 'utf8')));
    rmSync(folder, { recursive: true });
  };
}

export function contractLine(counts: string): string {
  const lines = counts.split('\n').filter((line) => line !== '');
  const sum = (at: number): number => lines.reduce((total, line) => total + Number(line.split(' ')[at]), 0);
  return `contract: ${sum(0)} requests to hosts and ${sum(1)} answers and events to callers held against the makers' types, ${sum(2)} unexplained deviations`;
}
