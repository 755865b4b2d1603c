/** The baseline: for empty databases, not for those that stand there already, and never for older ones. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { diagnoseDatabase } from '../../packages/gateway/src/app/diagnose/database.ts';
import { BASELINE, LAST_BEFORE, namesBefore } from '../../packages/gateway/src/store/baseline.ts';
import { MIGRATIONS, migrate, pendingMigrations } from '../../packages/gateway/src/store/migrate.ts';
import { planMigration } from '../../packages/gateway/src/store/migration-plan.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await freshDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const recorded = async (): Promise<readonly string[]> => {
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name');
  return rows.map(({ name }) => name);
};

test('an empty database gets it, and the names of all that it stands for', async () => {
  const before = await namesBefore(MIGRATIONS);
  expect(before).toHaveLength(64);
  expect(await recorded()).toEqual(expect.arrayContaining([...(before ?? []), BASELINE]));
  const empty = await emptyDatabase();
  try {
    expect((await planMigration(empty.settings))[0]).toEqual({
      name: BASELINE,
      does: 'the schema of 0.1.0.',
      besideVersionBefore: true,
      touches: [],
    });
  } finally {
    await empty.drop();
  }
});

test('a node of the version before finds nothing to do on a database of this one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  try {
    for (const name of (await namesBefore(MIGRATIONS)) ?? [])
      writeFileSync(join(folder, `${name}.sql`), '-- expand: it.\nselect no_such_function();');
    const url = pathToFileURL(`${folder}/`);
    expect(await pendingMigrations(database.settings, url)).toEqual([]);
    expect(await migrate(database.settings, url)).toEqual({ applied: [] });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a database with all migrations before stands there already, and is not changed', async () => {
  await client.query('delete from kysely_migration where name = $1', [BASELINE]);
  const before = await recorded();
  expect(await pendingMigrations(database.settings)).toEqual([]);
  expect(await migrate(database.settings)).toEqual({ applied: [] });
  expect(await recorded()).toEqual(before);
});

test('a database that lacks one of them is refused, with the commit that it must go through first', async () => {
  const { rowCount } = await client.query("delete from kysely_migration where name = '0104-managed-settings'");
  expect(rowCount).toBe(1);
  const sentence = `older than 0.1.0: it lacks 0104-managed-settings. Migrate it first with commit ${LAST_BEFORE}`;
  await expect(migrate(database.settings)).rejects.toThrow(sentence);
  await expect(pendingMigrations(database.settings)).rejects.toThrow(sentence);
  await expect(planMigration(database.settings)).rejects.toThrow(sentence);
  const findings = await diagnoseDatabase({
    ...database.settings,
    directUrl: database.url,
    keyGraceMs: 0,
    migrate: true,
  });
  expect(findings).toContainEqual(
    expect.objectContaining({ check: 'Database schema', status: 'fail', detail: expect.stringContaining(sentence) }),
  );
});

test('a folder of migrations without one has none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  try {
    mkdirSync(join(folder, 'other'));
    expect(await namesBefore(pathToFileURL(`${folder}/`))).toBeUndefined();
    await expect(migrate(database.settings, pathToFileURL(`${folder}/`))).rejects.toThrow('no migration in');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
