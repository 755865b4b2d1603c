import { expect, test } from 'vitest';
import type { Me } from '../state/session.ts';
import { emptyText } from './palette.tsx';
import { actionsFor } from './palette-items.ts';

test('the palette says that nothing matches only after every search has ended', () => {
  expect(emptyText([{ isLoading: true }, { isLoading: false }])).toBe('Loading');
  expect(emptyText([{ isLoading: false }, { isLoading: false }])).toBe('Nothing matches.');
});

test('the palette offers what the role may do', () => {
  const namesFor = (role: Me['role']) => actionsFor({ role } as Me).map(({ name }) => name);
  expect(namesFor('operator')).toEqual(expect.arrayContaining(['Create a key', 'Add a provider', 'Dark']));
  expect(namesFor('viewer')).toContain('Dark');
  expect(namesFor('viewer')).not.toContain('Create a key');
  expect(namesFor('developer')).not.toContain('Add a provider');
});
