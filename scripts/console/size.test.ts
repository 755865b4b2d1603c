import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const COMMAND = fileURLToPath(new URL('./size.ts', import.meta.url));

/** In a separate process: under test, React is built for development. */
test('the console is as small as its budget says', { timeout: 120_000 }, () => {
  const printed = execFileSync(process.execPath, [COMMAND], {
    env: { ...process.env, NODE_ENV: 'production' },
    encoding: 'utf8',
  });
  expect(JSON.parse(printed.trim().split('\n').at(-1) ?? '')).toMatchObject({ ok: true });
});
