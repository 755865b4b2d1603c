import { expect, test } from 'vitest';
import { isSameSubject } from './use-api.ts';

const usage = (query: object): unknown => ['/admin/v1/usage', { query: { by: 'model', account: 'acme', ...query } }];

test('figures stay while those of other times are fetched', () =>
  expect(isSameSubject(usage({ from: '1', until: '2' }), usage({ from: '2', until: '3', bucket: 'day' }))).toBe(true));

test('nothing of another account, object or grouping is shown meanwhile', () => {
  expect(isSameSubject(usage({}), usage({ account: 'other' }))).toBe(false);
  expect(isSameSubject(usage({}), usage({ by: 'key' }))).toBe(false);
  expect(isSameSubject(['/a', { path: { account: 'acme' } }], ['/a', { path: { account: 'other' } }])).toBe(false);
  expect(isSameSubject(undefined, usage({}))).toBe(false);
});
