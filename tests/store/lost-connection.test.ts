// A pooled connection breaks while it is checked out and idle: only its transaction fails.
import { type Kysely, sql } from 'kysely';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openPool, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import type { Tables } from '../../packages/gateway/src/store/postgres/tables.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let store: Store;
let superuser: Pool;
beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  superuser = openPool(database.settings, undefined, () => undefined);
});
afterAll(async () => {
  await store.close();
  await superuser.end();
  await database.drop();
});

const breakIn = async (db: Kysely<Tables>): Promise<void> => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  const { pid } = rows[0]!;
  await superuser.query('select pg_terminate_backend($1)', [pid]);
  await vi.waitFor(async () => {
    const left = await superuser.query('select from pg_stat_activity where pid = $1', [pid]);
    expect(left.rowCount).toBe(0);
  });
};

test('a connection that breaks between two statements fails its transaction, and the process survives', async () => {
  const transaction = store.writer.transaction().execute(async (db) => {
    await breakIn(db);
    await sql`select 1`.execute(db);
  });
  // The error of the driver, or of the kernel where the reset arrives first.
  await expect(transaction).rejects.toThrow(/connection|ECONNRESET/i);
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(store.writer);
  expect(rows).toEqual([{ one: 1 }]);
});

test('one that breaks in use is counted as well: what was known of the database may be wrong', async () => {
  const { losses } = store;
  await expect(store.within('any', breakIn)).rejects.toThrow();
  await vi.waitFor(() => expect(store.losses).toBeGreaterThan(losses));
});
