import { readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SOURCES = resolve(import.meta.dirname, '../../packages/gateway/src');
const CORE = resolve(SOURCES, 'money/ledger/core');

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

/** Files that only give types load nothing and need not be loaded. */
const runningIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => resolve(folder, name))
    .filter((file) => /^export (?!type |interface )/m.test(readFileSync(file, 'utf8')));

const RUNS = runningIn(CORE);
/** What production does in SQL. */
const REFERENCE = runningIn(resolve(import.meta.dirname, 'reference'));

test('the simulation runs every file of the core, and no copy of any', () => {
  expect(RUNS.length).toBeGreaterThan(5);
  expect([...loadedBy(resolve(import.meta.dirname, 'run-seeds.ts'))]).toEqual(
    expect.arrayContaining([...RUNS, ...REFERENCE]),
  );
});

test('the gateway runs every file of the core', () => {
  expect([...loadedBy(resolve(SOURCES, 'app/gateway.ts'))]).toEqual(expect.arrayContaining([...RUNS]));
});

test('the reference ledger is compared with the SQL that production runs, command by command', () => {
  expect(REFERENCE.length).toBeGreaterThan(4);
  const compared = loadedBy(resolve(import.meta.dirname, '../ledger-sql/equal-states.ts'));
  expect([...compared]).toEqual(expect.arrayContaining([...REFERENCE]));
});
