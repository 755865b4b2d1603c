import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { huntMutants, MUTANTS, playSeeds } from './play.ts';

const SEEDS = 1_000;

test(`${SEEDS} seeded simulations of crashes, lost answers and lost disks break no invariant`, async () => {
  const played = await playSeeds(0, SEEDS, 1);
  expect(played.violation).toBeUndefined();
  expect(played.leaseAdmissions).toBeGreaterThan(SEEDS);
  expect(played.deaths).toBeGreaterThan(SEEDS / 2);
});

test.each(MUTANTS)('the planted bug "$name" applies to the current source text', async ({ file, from }) => {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
  expect(text.split(from).length).toBe(2);
});

test('a bug planted in the core is found', async () => {
  const planted = MUTANTS.filter(({ name }) => /does not look whether it was done before|goes on admitting/.test(name));
  expect(planted.length).toBe(3);
  for (const { name, foundAfter } of await huntMutants(planted, 2_000)) expect(foundAfter, name).toBeDefined();
});

test('the simulation uses only the ledger core that production imports', async () => {
  for (const file of await readdir(import.meta.dirname, { recursive: true })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const text = await readFile(new URL(file, import.meta.url), 'utf8');
    for (const [, path = ''] of text.matchAll(/from '([^']*packages\/[^']*)'/g))
      expect(path, file).toContain('packages/gateway/src/money/ledger/core/');
  }
});
