import { expect, test } from 'vitest';
import type { Target } from '../kernel/target.ts';
import type { Understood } from '../request/request.ts';
import { laneWithoutSeals } from './choose-lane.ts';
import type { Lane } from './lane.ts';

test('the thread that holds a large request learns whether the refused seals were recalled ones', async () => {
  const lane = { losses: [] } as unknown as Lane;
  // Recalled seals were never the caller's, so leaving them out is no loss; without them there must be one.
  const planned = {
    strict: false,
    elsewhere: { bareLane: async (_: Target, recalled: boolean) => (recalled ? lane : undefined) },
  };
  const without = (refused: Partial<Lane>) =>
    laneWithoutSeals(planned as unknown as Understood, {} as Target, refused as Lane);
  expect(await without({ recalled: true })).toBe(lane);
  expect(await without({})).toBeUndefined();
});
