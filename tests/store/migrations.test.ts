/** Migrations: complete from an empty database, idempotent, compatible with the previous release, transactional. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Config, loadConfig, startGateway } from '@trivium/gateway';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MIGRATIONS, migrate, pendingMigrations } from '../../packages/gateway/src/store/migrate.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../support/database.ts';
import { stepTexts } from './step-texts.ts';

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

/** What the previous release relies on: a step that removes it, or makes writes stricter, must be marked as such. */
const CONTRACTS: readonly RegExp[] = [
  // Without a foreign key or a check no write of old code fails.
  /\bdrop\s+(?!policy|trigger|default|constraint\s+\w+_(?:fkey|check)\b)/i,
  /\brename\b/i,
  /(?:^|;)\s*truncate\b/i,
  /\bset\s+not\s+null\b/i,
  /\balter\s+column\s+\w+\s+(?:set\s+data\s+)?type\b/i,
  // Rows written by old code lack the new column.
  /\badd\s+(?:column\s+)?(?:if\s+not\s+exists\s+)?\w+\s+[\w()[\], ]*?\bnot\s+null\b(?![^,;]*\b(?:default|generated)\b)/i,
];
/** The grants of old code on an existing table. */
const NARROWS =
  /\balter\s+table\s+(?:only\s+)?(\w+)\s+add\s+(?:constraint|check|unique|primary|foreign|exclude)|\brevoke\b[^;]*?\bon\s+(?:table\s+)?(\w+)\s+from|\bcreate\s+unique\s+index\s+(?:\w+\s+)?on\s+(\w+)/gi;

function breaksTheReleaseBefore(text: string): readonly string[] {
  const statements = text.replaceAll(/--.*$/gm, '');
  const own = new Set([...statements.matchAll(/\bcreate\s+table\s+(\w+)/gi)].map(([, table]) => table));
  const narrowed = [...statements.matchAll(NARROWS)].flatMap(([, ...tables]) =>
    tables.filter((one) => one !== undefined),
  );
  return [
    ...CONTRACTS.filter((pattern) => pattern.test(statements)).map(String),
    // `revoke … on function f(…)` names no table.
    ...narrowed.filter((table) => !own.has(table) && table !== 'function'),
  ];
}

describe('migrations', () => {
  const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql'));

  test.each(stepTexts())('%s only adds, or is marked as removing', (_, text) => {
    expect(text).toMatch(/^-- (?:expand|contract: after \d+\.\d+)\b/);
    if (text.startsWith('-- expand')) expect(breaksTheReleaseBefore(text)).toEqual([]);
  });

  test.each([
    'drop table accounts',
    'alter table accounts drop column name',
    'alter table accounts drop constraint accounts_pkey',
    'alter table accounts rename column name to title',
    'alter table accounts alter column name type varchar(10)',
    'alter table accounts alter column name set not null',
    'alter table accounts add column country text not null',
    'alter table accounts add constraint short check (length(name) < 10)',
    'alter table accounts add unique (name)',
    'create unique index accounts_by_name on accounts (name)',
    'revoke insert on accounts from trivium_app',
    'truncate usage_hourly',
  ])('%j would break the previous release', (statement) => {
    expect(breaksTheReleaseBefore(`-- expand: a plant\n${statement};`)).not.toEqual([]);
  });

  test.each([
    'alter table accounts add column country text',
    "alter table accounts add column country text not null default 'ch'",
    'create table fresh (id text not null); create unique index on fresh (id); alter table fresh add unique (id)',
    'create index accounts_by_name on accounts (name)',
    'alter table keys drop constraint keys_account_id_fkey',
    'alter table keys drop constraint keys_check',
    'alter policy p on accounts using (true); drop policy q on accounts',
  ])('%j would not break the previous release', (statement) => {
    expect(breaksTheReleaseBefore(`-- expand: no plant\n${statement};`)).toEqual([]);
  });

  test('a second run changes nothing', async () => {
    expect(await migrate(database.settings)).toEqual({ applied: [] });
  });

  test('nodes that start concurrently run every migration once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
    for (const file of files) writeFileSync(join(folder, file), readFileSync(new URL(file, MIGRATIONS)));
    writeFileSync(join(folder, '9000-once.sql'), '-- expand\ncreate table only_once (n int);');
    try {
      const url = pathToFileURL(`${folder}/`);
      const runs = await Promise.all([1, 2, 3].map(() => migrate(database.settings, url)));
      expect(runs.flatMap(({ applied }) => applied)).toEqual(['9000-once']);
      writeFileSync(
        join(folder, '9001-bad.sql'),
        '-- expand\ncreate table half_done (n int);\nselect no_such_function();',
      );
      await expect(migrate(database.settings, url)).rejects.toThrow(/9001-bad.*no_such_function/);
      const { rows } = await sql<{ t: string | null }>`select to_regclass('half_done')::text as t`.execute(store.app);
      expect(rows).toEqual([{ t: null }]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('the previous release starts on the schema of a later one, and the later one starts again after it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
    const later = await freshDatabase();
    for (const file of files) writeFileSync(join(folder, file), readFileSync(new URL(file, MIGRATIONS)));
    writeFileSync(join(folder, '9000-later.sql'), '-- expand\ncreate table of_a_later_release (n int);');
    try {
      const url = pathToFileURL(`${folder}/`);
      expect(await migrate(later.settings, url)).toEqual({ applied: ['9000-later'] });
      expect(await migrate(later.settings)).toEqual({ applied: [] });
      expect(await pendingMigrations(later.settings)).toEqual([]);
      expect(await migrate(later.settings, url)).toEqual({ applied: [] });
    } finally {
      rmSync(folder, { recursive: true });
      await later.drop();
    }
  });

  test('every table with rows of accounts forces row-level security', async () => {
    const { rows } = await sql<{ name: string }>`
      select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
        and not (c.relrowsecurity and c.relforcerowsecurity)
        and (c.relname = 'accounts' or exists (
          select from pg_attribute a where a.attrelid = c.oid and a.attname in ('account_id', 'tenant_id')))
    `.execute(store.app);
    expect(rows).toEqual([]);
  });
});

describe('a gateway with a database', () => {
  const configOf = (migrates: boolean, url: string): Config => {
    const loaded = loadConfig({
      text: JSON.stringify({
        listen: { host: '127.0.0.1', port: 0 },
        admin: { port: 0 },
        keys: [],
        database: { url, migrate: migrates },
        log: { level: 'silent' },
      }),
      env: {},
    });
    if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
    return loaded.config;
  };
  const start = async (config: Config): Promise<void> => (await startGateway({ config })).close();

  test('a gateway refuses an older schema unless it may migrate, and then migrates it', async () => {
    const empty = await emptyDatabase();
    try {
      await expect(start(configOf(false, empty.url))).rejects.toThrow(/lacks 0112-baseline.*trivium migrate/);
      await start(configOf(true, empty.url));
      await start(configOf(false, empty.url));
    } finally {
      await empty.drop();
    }
  });

  test('a gateway does not start with a database that refuses it', async () => {
    const absent = new URL(database.url);
    absent.pathname = '/absent';
    await expect(start(configOf(true, absent.href))).rejects.toThrow(/"absent" does not exist/);
  });
});
