import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { MUTANTS } from './mutants.ts';
import { playSeeds } from './play.ts';

const SEEDS = 500;

test(`${SEEDS} made-up installations: the planner agrees with the page "Routing for operators"`, async () => {
  const played = await playSeeds(0, SEEDS);
  expect(played.difference).toBeUndefined();
  expect(played.planned).toBeGreaterThan(SEEDS / 2);
  expect(played.refused).toBeGreaterThan(SEEDS / 20);
  expect(played.withFallbacks).toBeGreaterThan(SEEDS / 20);
});

test.each(MUTANTS)('the planted mistake "$name" applies to the current source text', async ({ file, from }) => {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
  expect(text.split(from).length).toBe(2);
});

test('a planted mistake is found', async () => {
  const planted = MUTANTS.filter(({ name }) => /a tag replaces|not limited by its own policy/.test(name));
  expect(planted.length).toBe(2);
  for (const mutant of planted) expect((await playSeeds(0, SEEDS, mutant)).difference, mutant.name).toBeDefined();
});
