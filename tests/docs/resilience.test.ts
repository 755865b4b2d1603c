/** The table of resilience scenarios says what there is, in the scenarios' own words. */
import { expect, test } from 'vitest';
import { SCENARIOS } from '../rt/registry.ts';
import { tablesOf } from './markdown.ts';
import { read } from './tree.ts';

test('docs/contribute/resilience-tests.md lists every scenario, and no other', () => {
  expect(tablesOf(read('docs/contribute/resilience-tests.md')).get('Scenarios')).toEqual(
    SCENARIOS.map(({ name, shows }) => [`\`${name}\``, shows]),
  );
});

test('names of scenarios are unique and can be typed', () => {
  const names = SCENARIOS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^[a-z][a-z-]*$/.test(name) || name === 'all')).toEqual([]);
});
