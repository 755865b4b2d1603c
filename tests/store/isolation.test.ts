/** The database isolates accounts: a query without an account filter sees nothing of others. */
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertMember } from '../../packages/gateway/src/control/accounts/member-rows.ts';
import { insertAccount } from '../../packages/gateway/src/control/accounts/rows.ts';
import { appendAudit } from '../../packages/gateway/src/control/api/change.ts';
import { auditBreaks } from '../../packages/gateway/src/control/audit/rows.ts';
import { insertKey, keySource, revokeKeys, rotateKey } from '../../packages/gateway/src/control/keys/rows.ts';
import { hashSecret, newKeySecret } from '../../packages/gateway/src/people/accounts/key-secret.ts';
import { OPERATOR, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let store: Store;
const secrets = { acme: newKeySecret(), umbrella: newKeySecret() };
const TENANTS = ['acme', 'umbrella'] as const;

beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  for (const id of TENANTS)
    await store.within(OPERATOR, async (db) => {
      await insertAccount(db, { id, name: id, kind: 'prepaid' });
      await insertMember(db, { account_id: id, id: `mem_${id}`, name: 'Ann', email: null, role: 'owner' });
      const hash = hashSecret(secrets[id]);
      await insertKey(db, { ...KEY, accountId: id, id: `key_${id}`, memberId: `mem_${id}`, hash });
      await appendAudit(db, { accountId: id, actor: 'test', action: 'made', subject: id, detail: {} });
    });
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const KEY = { name: 'app', prefix: 'sk-trivium-', parentId: null, rights: {} };

/** Every table that holds rows of accounts, found in the schema, so that a new one cannot be forgotten. */
async function tenantTables(): Promise<{ table: string; column: string }[]> {
  const { rows } = await sql<{ table: string; column: string }>`
    select c.relname as table, a.attname as column
    from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
      and (a.attname = 'account_id' or (c.relname = 'accounts' and a.attname = 'id'))
      and has_table_privilege('trivium_app', c.oid, 'select')`.execute(store.app);
  return rows;
}

describe('row-level security', () => {
  test('without a where clause, each account sees only its own rows', async () => {
    const tables = await tenantTables();
    expect(tables.map(({ table }) => table)).toEqual(expect.arrayContaining(['accounts', 'members', 'keys', 'audit']));
    for (const { table, column } of tables)
      for (const tenant of TENANTS) {
        const owners = await store.within(tenant, async (db) => {
          const query = sql<{ owner: string }>`select distinct ${sql.ref(column)} as owner from ${sql.table(table)}`;
          return (await query.execute(db)).rows.map(({ owner }) => owner);
        });
        expect(
          owners.filter((owner) => owner !== tenant),
          `${table} as ${tenant}`,
        ).toEqual([]);
        if (['accounts', 'members', 'keys', 'audit'].includes(table)) expect(owners, table).toEqual([tenant]);
      }
  });

  test('a transaction without an account sees nothing', async () => {
    for (const { table } of await tenantTables())
      for (const tenant of [undefined, '']) {
        const read = sql`select 1 from ${sql.table(table)}`;
        const { rows } =
          tenant === undefined ? await read.execute(store.app) : await store.within(tenant, (db) => read.execute(db));
        expect(rows, table).toEqual([]);
      }
  });

  test('the account of a transaction does not carry over to the next one of the same connection', async () => {
    const single = new Store({ ...database.settings, maxConnections: 1 });
    try {
      await single.within('acme', async () => undefined);
      expect((await sql`select 1 from keys`.execute(single.app)).rows).toEqual([]);
    } finally {
      await single.close();
    }
  });

  test('an account cannot insert, move or change rows of another', async () => {
    const key = { ...KEY, accountId: 'umbrella', id: 'key_x', memberId: null, hash: hashSecret('x') };
    await expect(store.within('acme', (db) => insertKey(db, key))).rejects.toThrow(/row-level security/);
    const move = sql`update keys set account_id = 'umbrella', member_id = null`;
    await expect(store.within('acme', (db) => move.execute(db))).rejects.toThrow(/row-level security/);
    expect(await store.within('acme', (db) => revokeKeys(db, 'umbrella', ['key_umbrella']))).toEqual([]);
    expect(await keySource(store).find(hashSecret(secrets.umbrella))).toMatchObject({ accountId: 'umbrella' });
  });

  test('the writer cannot read keys or members, and cannot change accounts', async () => {
    for (const table of ['keys', 'members', 'audit'])
      await expect(sql`select 1 from ${sql.table(table)}`.execute(store.writer)).rejects.toThrow(/permission denied/);
    await expect(sql`update accounts set kind = 'unlimited'`.execute(store.writer)).rejects.toThrow(
      /permission denied/,
    );
  });
});

describe('a presented key', () => {
  test('a presented key reads only its own row, and leaves no rights on the connection', async () => {
    expect(await keySource(store).find(hashSecret(secrets.acme))).toEqual({
      keyId: 'key_acme',
      accountId: 'acme',
      memberId: 'mem_acme',
      rights: {},
      expiresInMs: undefined,
      isSuspended: false,
      role: undefined,
    });
    expect(await keySource(store).find(hashSecret(newKeySecret()))).toBeUndefined();
    const { rows } = await store.app.transaction().execute(async (db) => {
      await sql`select * from trivium_find_key(${Buffer.from(hashSecret(secrets.acme), 'hex')})`.execute(db);
      return sql`select 1 from keys union all select 1 from accounts`.execute(db);
    });
    expect(rows).toEqual([]);
  });

  test('a rotated key keeps its old secret for the grace time, by the database clock', async () => {
    const [first, second, third] = [newKeySecret(), newKeySecret(), newKeySecret()].map(hashSecret) as [
      string,
      string,
      string,
    ];
    const found = (hash: string) => keySource(store).find(hash);
    await store.within('acme', (db) =>
      insertKey(db, { ...KEY, accountId: 'acme', id: 'key_r', memberId: null, hash: first }),
    );
    await store.within('acme', (db) => rotateKey(db, 'acme', 'key_r', { hash: second, prefix: 'p', graceSeconds: 60 }));
    expect((await found(first))?.expiresInMs).toBeGreaterThan(50_000);
    expect((await found(second))?.expiresInMs).toBeUndefined();
    await store.within('acme', (db) => rotateKey(db, 'acme', 'key_r', { hash: third, prefix: 'p', graceSeconds: 0 }));
    expect(await Promise.all([first, second].map(found))).toEqual([undefined, undefined]);
    expect(await found(third)).toMatchObject({ keyId: 'key_r' });
  });

  test('a key is revoked with the key that created it', async () => {
    const ids = ['key_p', 'key_c', 'key_g'];
    const hashes = ids.map(() => hashSecret(newKeySecret()));
    for (const [index, id] of ids.entries())
      await store.within('acme', (db) =>
        insertKey(db, {
          ...KEY,
          accountId: 'acme',
          id,
          memberId: null,
          parentId: ids[index - 1] ?? null,
          hash: hashes[index] ?? '',
        }),
      );
    const revoked = await store.within('acme', (db) => revokeKeys(db, 'acme', ['key_p']));
    expect([...revoked].sort()).toEqual([...ids].sort());
    expect(await Promise.all(hashes.map((hash) => keySource(store).find(hash)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('a key does not work without its member, and manages no more than the member may', async () => {
    const hash = hashSecret(newKeySecret());
    const member = { account_id: 'acme', id: 'mem_v', name: 'Vi', email: null, role: 'viewer' as const };
    await store.within('acme', async (db) => {
      await insertMember(db, member);
      await insertKey(db, {
        ...KEY,
        accountId: 'acme',
        id: 'key_v',
        memberId: 'mem_v',
        rights: { manages: 'owner' },
        hash,
      });
    });
    expect(await keySource(store).find(hash)).toMatchObject({ role: 'viewer' });
    await store.within('acme', (db) => sql`update members set removed_at = now() where id = 'mem_v'`.execute(db));
    expect(await keySource(store).find(hash)).toBeUndefined();
  });
});

describe('the audit log', () => {
  test('the gateway cannot change the audit log, and a change by the table owner is detected', async () => {
    for (const change of ["update audit set actor = 'nobody'", 'delete from audit'])
      await expect(store.within(OPERATOR, (db) => sql.raw(change).execute(db))).rejects.toThrow(/permission denied/);
    expect(await store.within(OPERATOR, auditBreaks)).toEqual([]);
    const owner = new Client({ connectionString: database.url });
    await owner.connect();
    try {
      await expect(owner.query("update audit set actor = 'x'")).rejects.toThrow(/append-only/);
      await owner.query('alter table audit disable trigger append_only');
      await owner.query("update audit set actor = 'somebody else' where account_id = 'umbrella'");
      const { rows } = await owner.query<{ id: string }>("select id from audit where account_id = 'umbrella'");
      expect(await store.within(OPERATOR, auditBreaks)).toEqual(rows.map(({ id }) => BigInt(id)));
    } finally {
      await owner.end();
    }
  });
});
