/** The page of what is kept names every table that holds encrypted or whole texts: one that is new is missing there first. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../packages/gateway/src/store/migrate.ts';
import { read } from './tree.ts';

const PAGE = 'docs/operate/stored-content.md';
/** Columns of that kind, as the migrations name them. */
const HOLDS = /^\s*(?:add column )?(?:sealed bytea|body text)\b/m;

function holdingTables(): readonly string[] {
  const tables = new Set<string>();
  for (const file of readdirSync(MIGRATIONS, { encoding: 'utf8', recursive: true }).filter((name) =>
    name.endsWith('.sql'),
  )) {
    const text = readFileSync(new URL(file, MIGRATIONS), 'utf8');
    for (const [, table = '', columns = ''] of text.matchAll(/create table (\w+) \(\n([\s\S]*?)\n\);/g))
      if (HOLDS.test(columns)) tables.add(table);
  }
  return [...tables];
}

test('every table with encrypted or whole texts is on the page of what is kept', () => {
  const page = read(PAGE);
  const tables = holdingTables();
  expect(tables.length).toBeGreaterThan(10);
  expect(tables.filter((table) => !page.includes(`\`${table}\``))).toEqual([]);
});
