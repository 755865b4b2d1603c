/** Searching accounts through the index gives what reading all of them gives, and only operators get anything. */
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAccounts } from '../../packages/gateway/src/control/accounts/rows.ts';
import { buildIndexes } from '../../packages/gateway/src/store/build-indexes.ts';
import { OPERATOR, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const PAGE = { sort: 'name', order: 'asc', after: undefined, limit: 100 } as const;
const ACCOUNTS = [
  ['acme', 'Acme Corporation'],
  ['acme-labs', 'Research'],
  ['percent', '100% Cotton'],
  ['under_score', 'Plain'],
  ['back', 'C:\\accounts'],
  ['umlaut', 'MÜLLER & Söhne'],
  ['one-two', 'three four'],
] as const;

let database: TestDatabase;
let store: Store;
let owner: Client;
beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  owner = new Client({ connectionString: database.url });
  await owner.connect();
  for (const [id, name] of ACCOUNTS)
    await owner.query('insert into accounts (id, name, kind) values ($1, $2, $3)', [id, name, 'prepaid']);
});
afterAll(async () => {
  await owner.end();
  await store.close();
  await database.drop();
});

const found = (q: string): Promise<readonly string[]> =>
  store.within(OPERATOR, async (db) => (await listAccounts(db, { q }, PAGE)).map(({ id }) => id));

test.each([
  ['acme', ['acme', 'acme-labs']],
  ['ACME corp', ['acme']],
  ['100%', ['percent']],
  ['0% c', ['percent']],
  ['under_', ['under_score']],
  ['%%%', []],
  ['c:\\acc', ['back']],
  ['müller', ['umlaut']],
  // Across the end of the id and the beginning of the name, which the index has in one text.
  ['two three', []],
  // Too short for the index.
  ['ac', ['acme', 'acme-labs', 'back']],
  ['nothing', []],
])('a search for %j finds %j', async (q, expected) => {
  expect((await found(q)).toSorted()).toEqual(expected);
});

test('within an account, a search answers nothing about the others', async () => {
  const rows = await store.within('acme', async (db) => {
    const {
      rows: [answer],
    } = await sql<{ ids: unknown }>`select trivium_search_accounts('acme') as ids`.execute(db);
    return { answer, listed: (await listAccounts(db, { q: 'acme' }, PAGE)).map(({ id }) => id) };
  });
  expect(rows).toEqual({ answer: { ids: null }, listed: ['acme'] });
});

test('indexes are built once; one whose building was interrupted is built again', async () => {
  expect(await buildIndexes(owner)).toEqual([]);
  await owner.query("update pg_index set indisvalid = false where indexrelid = 'accounts_by_text'::regclass");
  await owner.query('drop index accounts_by_name');
  expect(await buildIndexes(owner)).toEqual(['accounts_by_name', 'accounts_by_text']);
  expect(await found('acme')).toEqual(['acme', 'acme-labs']);
});

test('a transaction that does not end keeps no index from being tried again later, and no gateway from starting', async () => {
  await owner.query('drop index accounts_by_creation');
  const busy = new Client({ connectionString: database.url });
  await busy.connect();
  await busy.query("begin; update accounts set name = 'held' where id = 'back'");
  expect(await buildIndexes(owner, '100ms')).toEqual([]);
  await busy.query('rollback');
  await busy.end();
  expect(await buildIndexes(owner)).toEqual(['accounts_by_creation']);
});
