// The golden matrix: every scenario through every pair of protocol and dialect, streamed and not.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Stand } from '../support/stand.ts';
import { openMatrixStand, PAIRS, SCENARIOS } from './matrix.ts';
import { runCell } from './run-cell.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openMatrixStand();
});
afterAll(() => stand.close());

describe.each(SCENARIOS)('$name', (scenario) => {
  test.each(PAIRS)('$inbound to $outbound keeps the meaning of the scenario', async (pair) => {
    for (const stream of [false, true]) {
      const verdict = await runCell(stand, scenario, { ...pair, stream });
      expect({ stream, problems: verdict.kind === 'wrong' ? verdict.problems : [] }).toEqual({ stream, problems: [] });
    }
  });
});

test('scenario names are unique, and every hole has a reason', () => {
  expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
  for (const { about, rounds, unspoken = {} } of SCENARIOS) {
    expect(about).toMatch(/\S/);
    expect(rounds.length).toBeGreaterThan(0);
    for (const why of Object.values(unspoken)) expect(why).toMatch(/\S/);
  }
});
