import { expect, test } from 'vitest';
import { changeText, sidesOf } from './audited.ts';

test('a new thing is what was set, without what is empty', () => {
  expect(changeText({ name: 'Acme', kind: 'prepaid', parentId: null })).toBe('name: Acme · kind: prepaid');
  expect(sidesOf({ name: 'Acme' })).toEqual({ before: undefined, after: { name: 'Acme' } });
});

test('a change is what was there and what is there now, without what stayed', () => {
  const detail = { name: 'Ann', role: 'admin', before: { name: 'Ann', role: 'viewer' } };
  expect(changeText(detail)).toBe('role: viewer → admin');
  expect(sidesOf(detail)).toEqual({ before: { name: 'Ann', role: 'viewer' }, after: { name: 'Ann', role: 'admin' } });
});

test('a member that a new version leaves out is gone', () =>
  expect(changeText({ only: ['azure'], before: { only: ['azure'], region: ['eu'] } })).toBe('region: ["eu"] → –'));
