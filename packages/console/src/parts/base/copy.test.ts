import { afterEach, expect, test, vi } from 'vitest';
import { copyText } from './copy.tsx';

afterEach(() => vi.unstubAllGlobals());

test('a text that the browser does not copy is not reported as copied', async () => {
  vi.stubGlobal('navigator', { clipboard: { writeText: () => Promise.reject(new Error('not allowed')) } });
  expect(await copyText('secret')).toBe(false);
  vi.stubGlobal('navigator', { clipboard: { writeText: () => Promise.resolve() } });
  expect(await copyText('secret')).toBe(true);
});
