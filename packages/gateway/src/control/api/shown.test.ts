import Type from 'typebox';
import { expect, test } from 'vitest';
import { moment, nullable } from './contract.ts';
import { columnsOf, shown, storedAs } from './shown.ts';

const Thing = Type.Object({
  id: Type.String(),
  spent30dUsd: nullable(Type.String()),
  rights: Type.Object({ models: Type.Optional(Type.Array(Type.String())) }),
  parentId: nullable(Type.String()),
  createdAt: moment('Creation time.'),
});
const ROW = { id: 't1', spent30d_nano: 1_500_000_000n, rights: { models: ['a'] }, created_at: new Date(0), hash: 'h' };

test('columns are named after members', () =>
  expect(columnsOf(Thing)).toEqual(['id', 'spent30d_nano', 'rights', 'parent_id', 'created_at']));

test('a row is shown with the members of the contract in their order, and nothing else of it', () => {
  expect(JSON.stringify(shown(Thing, { ...ROW, parent_id: null }))).toBe(
    '{"id":"t1","spent30dUsd":"1.5","rights":{"models":["a"]},"parentId":null,"createdAt":"1970-01-01T00:00:00.000Z"}',
  );
  expect(shown(Thing, { ...ROW, spent30d_nano: null }, { parentId: 't0' })).toMatchObject({
    spent30dUsd: null,
    parentId: 't0',
  });
});

test('a row without a column of the contract is an error of types', () => {
  // @ts-expect-error neither the row nor what is given has the parent
  expect(shown(Thing, ROW).parentId).toBeUndefined();
});

test('members are stored under their columns, objects as JSON, lists and bytes as they are', () => {
  const hash = Buffer.from('00', 'hex');
  expect(storedAs({ accountId: 'a', rights: { strict: true }, events: ['x'], rateLimits: null, hash })).toEqual({
    account_id: 'a',
    rights: '{"strict":true}',
    events: ['x'],
    rate_limits: null,
    hash,
  });
});
