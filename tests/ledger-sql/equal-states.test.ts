import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { compareSequences } from './equal-states.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

test('random commands leave the same answers, rows and hashes in the core and in PostgreSQL', async () => {
  const { difference, sequences } = await compareSequences(database.url, 0, 250);
  expect(difference).toBeUndefined();
  expect(sequences).toBe(250);
});
