/**
 * This checkout in a separate folder with one step of the schema more, as the next release will have: so an upgrade crosses a step even
 * when no step has come since the baseline.
 */
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { linkModules, MIGRATIONS } from './previous-release.ts';

const ROOT = new URL('..', import.meta.url).pathname;
export const PLANTED_STEP = '9000-planted-by-a-drill';
/** Of tables that every call writes to, and of one that only the next release knows. */
const TEXT = `-- expand: what a drill adds.
alter table accounts add column planted text;
alter table usage_events add column planted integer not null default 0;
alter table ledger_entries add column planted text;
create table planted_by_a_drill (id text primary key);
`;
const NOT_COPIED: ReadonlySet<string> = new Set(['node_modules', 'dist', 'tsconfig.tsbuildinfo']);

export type NextSchema = { readonly folder: string; close(): void };

export function openNextSchema(): NextSchema {
  const folder = mkdtempSync(join(tmpdir(), 'next-schema-'));
  cpSync(join(ROOT, 'packages'), join(folder, 'packages'), {
    recursive: true,
    filter: (source) => !NOT_COPIED.has(basename(source)),
  });
  linkModules(folder);
  const step = join(folder, MIGRATIONS, `${PLANTED_STEP}.sql`);
  if (existsSync(step)) throw new Error(`${PLANTED_STEP} is there already`);
  writeFileSync(step, TEXT);
  return { folder, close: () => rmSync(folder, { recursive: true, force: true }) };
}
