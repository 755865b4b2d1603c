import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { diagnoseFolder } from './disk.ts';

const found = (freeBytes: number, folder = tmpdir()) =>
  diagnoseFolder('Journal folder', 'ledger.journal', folder, async () => freeBytes);

test.each([
  [5e9, 'ok', `${tmpdir()} is writable, 5.0 GB free`],
  [5e8, 'warn', `little space for ${tmpdir()}: 0.5 GB free`],
  [5e7, 'fail', `little space for ${tmpdir()}: 0.1 GB free`],
  [0, 'fail', `${tmpdir()} cannot be used: no space on ${tmpdir()}`],
])('%d bytes free is %s, and never called writable when it is not ok', async (bytes, status, detail) => {
  expect(await found(bytes)).toMatchObject({ status, detail });
});
