import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sourcesIn } from './check-imports.ts';
import { SHARED_NAMES, typeNameProblems } from './check-type-names.ts';

const root = mkdtempSync(join(tmpdir(), 'type-names-'));
afterAll(() => rmSync(root, { recursive: true }));

const plant = (file: string, source: string): void => {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), source);
};

test('an exported type name is declared once in all packages, but for ten with a reason', () => {
  const packages = new URL('../packages', import.meta.url).pathname;
  expect(typeNameProblems(packages, sourcesIn(packages))).toEqual([]);
  expect(Object.keys(SHARED_NAMES).length).toBeLessThanOrEqual(10);
});

test('a second declaration is found whatever its kind; private types, re-exports and tests may repeat a name', () => {
  plant('gateway/src/a.ts', 'export type Rate = number;\nexport type Step = string;\ntype Inner = 1;\n');
  plant('gateway/src/a.test.ts', 'export type Step = string;\n');
  plant('gateway/src/a.fixture.ts', 'export type Step = string;\n');
  plant('simulator/src/b.ts', "export interface Rate {}\nexport type { Step } from './a.ts';\ntype Inner = 2;\n");
  plant('cli/src/c.ts', 'export class Rate {}\n');
  expect(typeNameProblems(root, sourcesIn(root), {})).toEqual([
    'type Rate is declared in cli/src/c.ts and gateway/src/a.ts and simulator/src/b.ts',
  ]);
});

test('a reason silences its own name, and is itself found once nothing needs it', () => {
  expect(typeNameProblems(root, sourcesIn(root), { Rate: 'three things', Step: 'none' })).toEqual([
    'type Step has a reason to be declared twice, and is not',
  ]);
});
