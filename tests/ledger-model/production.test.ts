import { readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SOURCES = resolve(import.meta.dirname, '../../packages/gateway/src');
const CORE = resolve(SOURCES, 'ledger/core');

/** Every module that a file loads, however far down. Types are left out: they run nothing. */
function loadedBy(entry: string): ReadonlySet<string> {
  const loaded = new Set<string>();
  const visit = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, clause = '', path = ''] of text.matchAll(/^(?:import|export) ([^;]*?) from '(\.[^']*)';/gms))
      if (!clause.startsWith('type ')) visit(resolve(dirname(file), path));
  };
  visit(entry);
  return loaded;
}

test('the gateway runs the half of the core that nodes run; the other half is what the database does', () => {
  const loaded = loadedBy(resolve(SOURCES, 'gateway.ts'));
  const names = readdirSync(CORE).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const absent = names.filter((name) => !loaded.has(resolve(CORE, name)));
  expect(names).toContain('till.ts');
  // Held equal to `0030-ledger.sql` by tests/ledger-sql.
  const inTheDatabase = ['admission.ts', 'book.ts', 'closing.ts', 'node-epochs.ts', 'posting.ts', 'windows.ts'];
  expect(absent).toEqual(inTheDatabase);
});
