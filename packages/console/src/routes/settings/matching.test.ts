import { expect, test } from 'vitest';
import { matching, valueText } from './matching.ts';

const SETTINGS = [
  { path: 'limits.jsonDepth', value: 40, source: 'file', place: 'trivium.yaml:3:22' },
  { path: 'limits.headerCount', value: 200, source: 'default', place: null },
  { path: 'keys.ci', value: { name: 'ci', account: 'Acme' }, source: 'file', place: 'trivium.yaml:5:5' },
] as const;
const found = (search: string, withDefaults = false) =>
  matching(SETTINGS, search, withDefaults).map(({ path }) => path);

test('without a search defaults are left out unless they are wanted', () => {
  expect(found('')).toEqual(['limits.jsonDepth', 'keys.ci']);
  expect(found('', true)).toHaveLength(3);
});

test('a search finds all words in path, value or place, defaults too', () => {
  expect(found('LIMITS')).toEqual(['limits.jsonDepth', 'limits.headerCount']);
  expect(found('limits 200')).toEqual(['limits.headerCount']);
  expect(found('acme')).toEqual(['keys.ci']);
  expect(found('yaml:3')).toEqual(['limits.jsonDepth']);
  expect(found('nothing')).toEqual([]);
});

test('texts stand as they are, all else as JSON', () => {
  expect([valueText('a'), valueText(1), valueText(['a']), valueText(null)]).toEqual(['a', '1', '["a"]', 'null']);
});
