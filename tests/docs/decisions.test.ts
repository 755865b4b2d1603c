/** The index of decisions: readers find a record by its line there, and see whether it still holds. */
import { expect, test } from 'vitest';
import { tablesOf } from './markdown.ts';
import { files, read } from './tree.ts';

const records = files
  .filter((file) => /^docs\/decisions\/\d{4}-/.test(file))
  .map((file) => file.split('/').at(-1) ?? '');
const rows = [...tablesOf(read('docs/decisions/README.md')).values()].flat();
const fileOf = (cell = ''): string => /\]\(([^)]+)\)/.exec(cell)?.[1] ?? '';

test('every record has one line, with a summary and a status', () => {
  expect(records.length).toBeGreaterThan(100);
  expect(rows.map(([record]) => fileOf(record)).sort()).toEqual(records);
  expect(rows.filter(([, decision = '', status = '']) => decision === '' || status === '')).toEqual([]);
});

test('numbers are given once', () => {
  const numbers = records.map((record) => record.slice(0, 4));
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
});
