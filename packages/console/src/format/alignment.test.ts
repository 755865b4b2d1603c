import { expect, test } from 'vitest';
import { aligned } from './alignment.ts';

const shown = (before: string, after: string): readonly string[] => {
  const [one, other] = [before.split(''), after.split('')];
  return aligned(one, other).map(
    ({ before: at, after: to, isSame }) =>
      `${at === undefined ? '' : one[at]}${isSame ? '=' : '|'}${to === undefined ? '' : other[to]}`,
  );
};

test('equal entries are paired, and so are replaced ones', () =>
  expect(shown('abcxe', 'abyxze')).toEqual(['a=a', 'b=b', 'c|y', 'x=x', '|z', 'e=e']));

test('all removed, all added, nothing at all', () => {
  expect(shown('ab', '')).toEqual(['a|', 'b|']);
  expect(shown('', 'ab')).toEqual(['|a', '|b']);
  expect(aligned([], [])).toEqual([]);
});

test('repeated entries lose nothing', () => {
  const pairs = shown('aaab', 'aab');
  expect(pairs.filter((pair) => pair.includes('='))).toEqual(['a=a', 'a=a', 'b=b']);
  expect(pairs).toContain('a|');
});

test('lists too long to be compared keep every entry of both, in order', () => {
  const before = Array.from({ length: 2500 }, (_, at) => `b${at}`);
  const after = Array.from({ length: 2600 }, (_, at) => `a${at}`);
  const pairs = aligned(before, after);
  expect(pairs.flatMap(({ before: at }) => (at === undefined ? [] : [before[at]]))).toEqual(before);
  expect(pairs.flatMap(({ after: to }) => (to === undefined ? [] : [after[to]]))).toEqual(after);
});
