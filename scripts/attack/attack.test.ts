import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { evidenceOf, type Finding, problemsOf, readFindings } from './attack.ts';

const scripts = new Set(['house']);
const row = (more: Partial<Finding>): Finding => ({ id: 'X1', found: 'it broke', ...more });
const by = ['npm run house'];

test('a finding without evidence needs a reason, one with it needs its nodes, and evidence must be there', () => {
  expect(problemsOf([row({ by, nodes: 1 })], scripts)).toEqual([]);
  expect(problemsOf([row({})], scripts)).toHaveLength(1);
  expect(problemsOf([row({ by, why: 'none' })], scripts)).toHaveLength(1);
  expect(problemsOf([row({ by })], scripts)).toEqual(['X1: on how many nodes?']);
  expect(problemsOf([row({ by: ['npm run gone'], nodes: 1 })], scripts)).toEqual(['npm has no script gone']);
  expect(problemsOf([row({ by, nodes: 1 }), row({ why: 'none' })], scripts)).toEqual(['X1 has two rows']);
});

test('scenarios are known by name, and play on as many nodes as the finding says', () => {
  const of = (name: string, nodes: number): readonly string[] =>
    problemsOf([row({ by: [`npm run rt -- ${name}`], nodes })], new Set(['rt']));
  expect(of('two-nodes', 2)).toEqual([]);
  expect(of('fair-loop', 1)).toEqual([]);
  expect(of('two-nodes', 1)).toEqual(['X1: its scenarios do not play on 1']);
  expect(of('fair-loop', 2)).toEqual(['X1: its scenarios do not play on 2']);
  expect(of('gone', 1)).toEqual(['there is no scenario npm run rt -- gone']);
});

test('evidence of chosen findings only, each once', () => {
  const findings = [row({ by, nodes: 1 }), row({ id: 'X2', by: [...by, 'README.md'], nodes: 2 })];
  expect(evidenceOf(findings, [])).toEqual(['npm run house', 'README.md']);
  expect(evidenceOf(findings, ['X1'])).toEqual(by);
});

test('every finding has evidence that is there, or says why it has none', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  expect(problemsOf(readFindings(), new Set(Object.keys(manifest.scripts)))).toEqual([]);
});

test('the numbered lists have no holes', () => {
  const ids = new Set(readFindings().map(({ id }) => id));
  const lists = { B: [0, 10], F: [1, 21], H: [1, 28], N: [1, 25], Q: [1, 8], S: [1, 12] } as const;
  const all = Object.entries(lists).flatMap(([list, [first, last]]) =>
    Array.from({ length: last - first + 1 }, (_, at) => `${list}${first + at}`),
  );
  expect(all.filter((id) => !ids.has(id))).toEqual([]);
});
