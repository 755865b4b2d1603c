/** What a batch leaves is what it left before settles were posted in one pass. `npm run bench:engine -- --equal 10000` compares more. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LAST_BEFORE } from '../../packages/gateway/src/store/baseline.ts';
import { hasCommit } from '../../scripts/previous-release.ts';
import { databaseAsOf, freshDatabase, type TestDatabase } from '../support/database.ts';
import { BEFORE_ONE_PASS, compareWithBefore } from './as-before.ts';
import { AT_ONCE_MISTAKES, withMistake } from './sql-mistakes.ts';

const BATCHES = 60;
/** Where a planted bug must have been found. */
const MOST_BATCHES = 200;
/** Some thousands of statements, on a machine that may be busy. */
const PATIENCE_MS = 180_000;

// The schema of then is in the history alone.
describe.skipIf(!hasCommit(LAST_BEFORE))('as before settles were posted in one pass', () => {
  let before: TestDatabase;
  let now: TestDatabase;
  beforeAll(async () => {
    [before, now] = [await databaseAsOf(BEFORE_ONE_PASS), await freshDatabase()];
  }, PATIENCE_MS);
  afterAll(async () => {
    await before.drop();
    await now.drop();
  });

  test(
    'random batches of settles leave the same answers, rows and hashes as before',
    async () => {
      expect(await compareWithBefore(before.url, now.url, BATCHES)).toEqual({ batches: BATCHES });
    },
    PATIENCE_MS,
  );

  test.each(AT_ONCE_MISTAKES)(
    'a bug planted in the posting of settles at once is found: $name',
    async (mistake) => {
      const found = withMistake(now.url, mistake, async () => {
        const { difference } = await compareWithBefore(before.url, now.url, MOST_BATCHES);
        if (difference !== undefined) throw new Error(difference);
      });
      await expect(found).rejects.toThrow(/^seed \d+|violates|do not change|is gone|duplicate key/);
    },
    PATIENCE_MS,
  );
});
