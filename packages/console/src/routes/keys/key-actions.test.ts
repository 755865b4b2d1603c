import { expect, test } from 'vitest';
import { childrenText } from './key-actions.tsx';

test('keys that go with a revoked one are named, and offered while they are not known', () => {
  expect(childrenText([])).toBeUndefined();
  expect(childrenText([{ name: 'a' }])).toContain('Also revoke');
  expect(childrenText(undefined)).toBe('Also revoke keys made with it');
});
