import { expect, test } from 'vitest';
import type { BackgroundPorts } from './ports.ts';
import { BackgroundRunner } from './runner.ts';

/** Half a minute of looks; how often the database was asked. */
async function claimsOf(isOffered: boolean): Promise<number> {
  let claims = 0;
  const runner = new BackgroundRunner({
    rows: {
      claim: async () => {
        claims++;
        return undefined;
      },
    },
    clock: { monotonicMs: () => 0 },
    settings: () => ({ isOffered, atOnce: 1, perAccount: 1 }),
    onTrouble: (error: unknown) => {
      throw error;
    },
  } as unknown as BackgroundPorts);
  for (let look = 0; look < 60; look++) {
    runner.look();
    await new Promise(setImmediate);
  }
  return claims;
}

test('installations that store responses look for queued ones at every look', async () => {
  expect(await claimsOf(true)).toBe(60);
});

test('others look only for what was queued before they were switched off, twice a minute', async () => {
  expect(await claimsOf(false)).toBe(1);
});
