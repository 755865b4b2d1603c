import { expect, test } from 'vitest';
import { askedBy, groupOf, labelOf, type SpendRow } from './spend-row.ts';

const row = (rest: object) => rest as SpendRow;

test('keys of two accounts with one id are two groups, each with the account beside its name', () => {
  expect([askedBy('key', undefined), askedBy('key', 'acme'), askedBy('model', undefined)]).toEqual([
    'account,key',
    'key',
    'model',
  ]);
  const [one, other] = ['acme', 'data'].map((account) => row({ account, key: 'web', keyName: 'Web app' }));
  expect(groupOf(one!, 'key')).not.toBe(groupOf(other!, 'key'));
  expect([one, other].map((each) => labelOf(each!, 'key'))).toEqual(['Web app · acme', 'Web app · data']);
});

test('a row is known by its name, else by its id, else by nothing', () => {
  expect(labelOf(row({ key: 'k1', keyName: null }), 'key')).toBe('k1');
  expect(labelOf(row({ account: 'acme', member: '', memberName: null }), 'member')).toBe('');
  expect(labelOf(row({ account: 'a1', accountName: 'Acme' }), 'account')).toBe('Acme');
  expect(labelOf(row({ tag: 'search' }), 'tag:team')).toBe('search');
});
