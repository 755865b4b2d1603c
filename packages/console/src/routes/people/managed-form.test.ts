import { expect, test } from 'vitest';
import { EMPTY_FORM, type Entry, entryOf, formOf } from './managed-form.ts';

const ENTRY: Entry = {
  name: 'data',
  description: 'Of the data team',
  priority: 5,
  match: { groups: ['Data Team', 'leads'], accounts: ['data'] },
  settings: { model: 'claude-sonnet-5', permissions: { deny: ['Read(./.env)'] } },
  unchecked: ['permissions.new'],
};

test('what is opened and saved again stays as it is', () => {
  expect(entryOf(formOf(ENTRY))).toEqual(ENTRY);
  const least: Entry = { name: 'all', priority: 100, settings: {} };
  expect(entryOf(formOf(least))).toEqual(least);
});

test('empty lists are left out: they would match nobody', () =>
  expect(entryOf({ ...EMPTY_FORM, name: ' all ', groups: ' , ', settings: '{}' })).toEqual({
    name: 'all',
    priority: 100,
    settings: {},
  }));

test('a name that is typed twice counts once', () =>
  expect(entryOf({ ...EMPTY_FORM, settings: '{}', groups: 'a, b,a' })?.match).toEqual({ groups: ['a', 'b'] }));

test.each(['', '{', '[]', 'null', '"text"', '{"a":1,}'])('%s is no text of settings', (settings) =>
  expect(entryOf({ ...EMPTY_FORM, settings })).toBeUndefined(),
);
