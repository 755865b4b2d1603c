import { expect, test } from 'vitest';
import { anomaliesIn } from './rule-preview.ts';

const HOUR_MS = 3_600_000;
const WEEK_HOURS = 7 * 24;
/** An account's hours from its first on, in USD. */
const hours = (accountId: string, usd: readonly number[]) =>
  usd.map((cost, at) => ({ accountId, hour: new Date(at * HOUR_MS), costNano: BigInt(cost) * 1_000_000_000n }));
const RULE = { factor: 2, minUsd: 10 };

test('an hour is unusual beside the week before it, once a day, and not for accounts without history', () => {
  const usual = Array.from({ length: WEEK_HOURS }, () => 8);
  const found = anomaliesIn(
    [...hours('steady', [...usual, 12, 40, 90]), ...hours('new', [20, 90])],
    RULE,
    WEEK_HOURS * HOUR_MS,
  );
  expect(found).toEqual([
    { accountId: 'steady', hour: new Date((WEEK_HOURS + 1) * HOUR_MS), costNano: 40_000_000_000n },
  ]);
});
