import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { syncNames } from './sync-names.ts';

const synced = (fd: number, platform: string): Promise<string> =>
  new Promise((resolve) => syncNames(fd, (error) => resolve(error?.code ?? 'synced'), platform));

test('a folder is synced, and on Windows left to its file system', async () => {
  const fd = openSync(tmpdir(), 'r');
  expect(await synced(fd, 'linux')).toBe('synced');
  closeSync(fd);
  expect(await synced(fd, 'linux')).toBe('EBADF');
  expect(await synced(fd, 'win32')).toBe('synced');
});
