import { expect, test } from 'vitest';
import { parseSearch, patched, stringifySearch } from './search.ts';

test('search parameters survive the address bar', () => {
  const search = {
    model: 'openai/gpt-5.4',
    key: 'a&b=c d+e#%',
    range: '2026-11-01T00:00:00.000Z..2026-11-02',
    n: '007',
  };
  expect(parseSearch(stringifySearch(search))).toEqual(search);
});

test('models stay readable in the address bar', () =>
  expect(stringifySearch({ model: 'openai/gpt-5.4' })).toBe('?model=openai/gpt-5.4'));

test('what is empty is absent', () => {
  expect(stringifySearch({ model: '', key: undefined })).toBe('');
  expect(patched({ model: 'a', key: 'b' }, { model: undefined, key: '' })).toEqual({});
});

test('a text that was cut in the middle of an emoji does not break the page', () =>
  expect(parseSearch(stringifySearch({ '\ud83d': 'Ann \ud83d' }))).toEqual({ '\ufffd': 'Ann \ufffd' }));
