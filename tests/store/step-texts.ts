/** The steps of the schema as they are shipped: the baseline, whose files are one step, and each file after it. */
import { readdirSync, readFileSync } from 'node:fs';
import { BASELINE } from '../../packages/gateway/src/store/baseline.ts';
import { MIGRATIONS } from '../../packages/gateway/src/store/migrate.ts';

const sqlIn = (folder: URL): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();

/** Throws where there is none: a test that found nothing to read proves nothing. */
export function stepTexts(): readonly (readonly [name: string, text: string])[] {
  const folder = new URL('baseline/', MIGRATIONS);
  const baseline = sqlIn(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
  if (baseline.length === 0) throw new Error(`no baseline in ${folder.pathname}`);
  const after = sqlIn(MIGRATIONS).map((file) => [file, readFileSync(new URL(file, MIGRATIONS), 'utf8')] as const);
  return [[BASELINE, baseline.join('\n')], ...after];
}
