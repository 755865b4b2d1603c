import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  checkImports,
  checkStart,
  circlesAmong,
  circlesBetweenNeighbours,
  importsIn,
  problemsOf,
} from './check-imports.ts';
import { LIGHT_STARTS } from './import-table.ts';

const root = mkdtempSync(join(tmpdir(), 'imports-'));
afterAll(() => rmSync(root, { recursive: true }));

const plant = (file: string, source: string): void => {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), source);
};

describe('the import table', () => {
  test('holds for this repository, and really reads it', () => {
    const report = checkImports(new URL('../packages', import.meta.url).pathname);
    expect(report.problems).toEqual([]);
    expect(report.modules).toBeGreaterThan(100);
  });

  test('finds planted violations in a tree', () => {
    plant('protocol/src/dialects/openai-chat/x.ts', "import { a } from '../google-generate/y.ts';\n");
    plant('protocol/src/canonical/x.ts', "import { a } from '../stream/y.ts';\n");
    plant('gateway/src/calls/x.ts', "import { readFile } from 'node:fs';\nimport type { Pool } from 'undici';\n");
    plant('gateway/src/somewhere/x.ts', 'export const a = 1;\n');
    expect(checkImports(root)).toEqual({
      modules: 4,
      problems: expect.arrayContaining([
        'protocol/src/dialects/openai-chat/x.ts: may not import dialect google-generate',
        'protocol/src/canonical/x.ts: may not import protocol/src/stream/y.ts',
        'gateway/src/calls/x.ts: may not import node:fs',
        'gateway/src/calls/x.ts: may not import undici',
        'gateway/src/somewhere/x.ts: belongs to no zone of the import table',
      ]),
    });
  });

  test.each([
    ['gateway/src/calls/x.ts', "import { start } from '../http/data-plane.ts';"],
    ['gateway/src/http/x.ts', "import { x } from '../upstream/undici-upstream.ts';"],
    ['gateway/src/models/providers/x.ts', "import { x } from '../request/pipeline.ts';"],
    ['protocol/src/framing/x.ts', "import type { Event } from '../canonical/events.ts';"],
    ['protocol/src/dialects/openai-chat/x.ts', "import { splice } from '../../framing/json-splice.ts';"],
    ['simulator/src/x.ts', "import { protocolAdapters } from '@trivium/protocol/dialects';"],
    ['cli/src/x.ts', "import { findDialect } from '@trivium/protocol/dialects';"],
    ['gateway/src/money/limits/x.ts', "export { OpenLedger } from '../ledger/open-ledger.ts';"],
    ['protocol/src/stream/x.ts', "const later = import('node:fs');"],
  ])('%s: %s is refused', (file, source) => {
    expect(problemsOf(file, source)).toHaveLength(1);
  });
});

describe('import circles', () => {
  test('there are none in this repository, neither between files nor between folders, types included', () => {
    const imports = importsIn(new URL('../packages', import.meta.url).pathname);
    expect(imports.size).toBeGreaterThan(1000);
    expect(circlesBetweenNeighbours(imports)).toEqual([]);
  });
  test('one between folders is found that no file is part of', () => {
    const imports = new Map([
      ['p/src/a/one.ts', ['p/src/b/one.ts']],
      ['p/src/b/one.ts', []],
      ['p/src/b/two.ts', ['p/src/a/deep/two.ts']],
      ['p/src/a/deep/two.ts', []],
    ]);
    expect(circlesAmong(imports)).toEqual([]);
    expect(circlesBetweenNeighbours(imports)).toEqual(['2 import one another: p/src/a, p/src/b']);
  });
  test('one of three files is found, however it is entered, and a mere chain is none', () => {
    const imports = (pairs: Record<string, string[]>) => circlesAmong(new Map(Object.entries(pairs)));
    expect(imports({ d: ['a'], a: ['b'], b: ['c'], c: ['a'] })).toEqual(['3 import one another: a, b, c']);
    expect(imports({ a: ['b', 'c'], b: ['c'], c: [] })).toEqual([]);
  });
});

describe('the start of a program', () => {
  test.each(LIGHT_STARTS)('$entry loads nothing heavy, and is really followed', (start) => {
    const report = checkStart(new URL('../packages', import.meta.url).pathname, start);
    expect(report.problems).toEqual([]);
    expect(report.modules).toBeGreaterThan(20);
  });

  test('finds what is loaded at once, however far off, and nothing else', () => {
    plant('cli/src/main.ts', "import { a } from './near.ts';\nimport type { T } from '@trivium/heavy';\n");
    plant('cli/src/near.ts', "import type { T } from './types.ts';\nexport { a } from './far.ts';\n");
    plant('cli/src/far.ts', "import {\n  type T,\n  a,\n} from '@trivium/heavy/door';\nimport './near.ts';\n");
    plant('cli/src/types.ts', "import '@trivium/heavy';\n");
    plant('cli/src/later.ts', "import '@trivium/heavy';\n");
    plant('cli/src/light.ts', "export const a = () => import('./later.ts');\nimport '@trivium/heavyweight';\n");
    const startOf = (entry: string) => checkStart(root, { entry, without: ['@trivium/heavy'] });
    expect(startOf('cli/src/main.ts')).toEqual({
      modules: 3,
      problems: ['cli/src/far.ts: cli/src/main.ts may not load @trivium/heavy/door at its start'],
    });
    expect(startOf('cli/src/light.ts')).toEqual({ modules: 1, problems: [] });
    plant('heavy/src/door.ts', "import type { T } from './inside.ts';\nimport { b } from './beside.ts';\n");
    plant('heavy/src/beside.ts', "import { a } from '@trivium/heavy/more';\n");
    const through = { '@trivium/heavy/door': 'heavy/src/door.ts' };
    expect(checkStart(root, { entry: 'cli/src/main.ts', without: ['@trivium/heavy'], through })).toEqual({
      modules: 5,
      problems: ['heavy/src/beside.ts: cli/src/main.ts may not load @trivium/heavy/more at its start'],
    });
  });
});
