import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { NotListed } from './not-listed.tsx';

const LIST = { rows: [{ id: 'a' }], isLoading: false, error: null };
const drawn = (id: string | undefined, rest: object = {}): string =>
  renderToStaticMarkup(createElement(NotListed, { id, list: { ...LIST, ...rest } }));

test('a row that the address names and the list does not have is reported', () =>
  expect(drawn('b')).toContain('No row shown has the id'));

test('nothing is reported of a row that is there, or while rows are loading or failed to', () => {
  expect(drawn(undefined)).toBe('');
  expect(drawn('a')).toBe('');
  expect(drawn('b', { rows: [], isLoading: true })).toBe('');
  expect(drawn('b', { rows: [], error: new Error('503') })).toBe('');
});
