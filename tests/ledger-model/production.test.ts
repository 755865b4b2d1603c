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

const FILES = readdirSync(CORE).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
/** Of the core. */
const filesLoadedBy = (...entry: readonly string[]): readonly string[] => {
  const loaded = loadedBy(resolve(...entry));
  return FILES.filter((name) => loaded.has(resolve(CORE, name)));
};

/** Files that only give types load nothing and need not be loaded. */
const RUNS = FILES.filter((name) => /^export (?!type |interface )/m.test(readFileSync(resolve(CORE, name), 'utf8')));

/** What production does in SQL; `tests/ledger-sql` holds the two against each other, command by command. */
const IN_THE_DATABASE = ['admission.ts', 'apply.ts', 'closing.ts', 'node-epochs.ts', 'posting.ts', 'windows.ts'];

test('the simulation runs every file of the core, and no copy of any', () => {
  expect(RUNS.length).toBeGreaterThan(10);
  expect(filesLoadedBy(import.meta.dirname, 'run-seeds.ts')).toEqual(expect.arrayContaining(RUNS));
});

test('the gateway runs the half of the core that nodes run; the other half is what the database does', () => {
  const inProduction = filesLoadedBy(SOURCES, 'app/gateway.ts');
  expect(inProduction).toContain('node-ledger-core.ts');
  expect(RUNS.filter((name) => !inProduction.includes(name))).toEqual(IN_THE_DATABASE);
});

test('all that the database does is held against its SQL', () => {
  const compared = filesLoadedBy(import.meta.dirname, '../ledger-sql/equal-states.ts');
  expect(compared).toEqual(expect.arrayContaining(IN_THE_DATABASE));
});
