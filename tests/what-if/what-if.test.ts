// Real calls of every kind, their records multiplied and replayed: see `npm run what-if:exact` for the long form.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UsageEvent } from '../../packages/gateway/src/money/usage/event.ts';
import { multiply } from './multiply.ts';
import { MUTANTS } from './mutants.ts';
import { proveInThread } from './play.ts';
import { openWhatIfStand, playCalls, type WhatIfStand } from './stand.ts';

let stand: WhatIfStand;
let seeds: readonly UsageEvent[];
beforeAll(async () => {
  stand = await openWhatIfStand();
  seeds = await playCalls(stand, 1);
});
afterAll(() => stand.close());

test('the calls are of every kind', () => {
  const hosts = new Set(seeds.map(({ details }) => details.decision?.decidedBy.hosts));
  for (const word of ['weights', 'round_robin', 'least_latency', 'speed', 'cost', 'default', 'list'])
    expect([...hosts]).toContain(word);
  const whys = new Set(seeds.flatMap(({ details }) => details.leftOut.map(({ why }) => why)));
  for (const why of ['ejected', 'context-too-short', 'too-dear', 'other-region', 'no-fallback'])
    expect([...whys]).toContain(why);
  expect(new Set(seeds.map(({ operation }) => operation))).toEqual(new Set(['text', 'image', 'embed']));
});

test('with the policies and prices of today nothing differs, and doubled prices cost exactly double', async () => {
  const { prove } = await import('./prove.ts');
  const proof = await prove(stand.simulator.url, multiply(seeds, 2_000));
  expect(proof.problems).toEqual([]);
});

test.each(MUTANTS)('the planted mistake "$name" applies to the current source text', async ({ file, from }) => {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
  expect(text.split(from).length).toBe(2);
});

test('planted mistakes are found', async () => {
  const planted = MUTANTS.filter(({ name }) => /out of service/.test(name));
  expect(planted.length).toBe(1);
  for (const mutant of planted)
    expect((await proveInThread(stand.simulator.url, seeds, seeds.length, mutant)).ok, mutant.name).toBe(false);
});
