import { expect, test } from 'vitest';
import { emptyText } from './palette.tsx';

test('the palette says that nothing matches only after every search has ended', () => {
  expect(emptyText([{ isLoading: true }, { isLoading: false }])).toBe('Loading');
  expect(emptyText([{ isLoading: false }, { isLoading: false }])).toBe('Nothing matches.');
});
