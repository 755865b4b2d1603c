/**
 * `npm run test:baseline`: the baseline makes the same database as the migrations that it stands for, which come from the history. Compares
 * what `pg_dump` writes, the catalogue and the rows that come with the schema; then differences are planted, and must be found. The last
 * line is JSON with `ok`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { BASELINE, LAST_BEFORE, namesBefore } from '../packages/gateway/src/store/baseline.ts';
import { migrate, MIGRATIONS as OWN } from '../packages/gateway/src/store/migrate.ts';
import { emptyDatabase, type TestDatabase } from '../tests/support/database.ts';
import { MIGRATIONS, openPreviousRelease } from './previous-release.ts';

/** Each in its own words, beside what `pg_dump` says. */
const CATALOGUE: Readonly<Record<string, string>> = {
  columns: `select c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull, a.attidentity, a.attgenerated,
      a.attstorage, a.attcompression, a.attacl::text, pg_get_expr(d.adbin, d.adrelid) as value
    from pg_attribute a join ours c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped order by 1, 2`,
  relations: `select relname, relkind, relpersistence, relrowsecurity, relforcerowsecurity, reloptions::text, relacl::text,
      pg_get_userbyid(relowner) as owner, obj_description(oid, 'pg_class') as comment from ours order by 1`,
  constraints: `select c.relname, k.conname, k.contype, k.convalidated, pg_get_constraintdef(k.oid) as is
    from pg_constraint k join ours c on c.oid = k.conrelid order by 1, 2`,
  indexes: `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as is, i.indisvalid
    from pg_index i join ours c on c.oid = i.indrelid order by 1`,
  functions: `select p.oid::regprocedure::text as name, p.prokind, p.prosrc, p.provolatile, p.proparallel, p.prosecdef, p.proleakproof,
      p.proconfig::text, p.proacl::text, pg_get_userbyid(p.proowner) as owner, pg_get_function_result(p.oid) as returns,
      case when p.prokind = 'f' then pg_get_functiondef(p.oid) end as is
    from pg_proc p where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e') order by 1`,
  triggers: `select c.relname, t.tgname, t.tgenabled, pg_get_triggerdef(t.oid) as is
    from pg_trigger t join ours c on c.oid = t.tgrelid where not t.tgisinternal order by 1, 2`,
  policies: 'select * from pg_policies order by tablename, policyname',
  types: `select t.typname, t.typtype, t.typacl::text from pg_type t
    where t.typnamespace = 'public'::regnamespace and t.typtype <> 'b' order by 1`,
  sequences: `select sequencename, data_type::text, start_value, min_value, max_value, increment_by, cycle, last_value
    from pg_sequences where schemaname = 'public' order by 1`,
  partitions: `select c.relname, pg_get_partkeydef(c.oid) as by, (select count(*) from pg_inherits i where i.inhparent = c.oid) as parts
    from ours c where c.relkind = 'p' order by 1`,
  namespaces: "select nspname, nspacl::text from pg_namespace where nspname !~ '^pg_' order by 1",
  comments:
    "select * from pg_description where classoid in ('pg_class'::regclass, 'pg_proc'::regclass) and objoid >= 16384",
};
const OURS = `with ours as (select * from pg_class where relnamespace = 'public'::regnamespace and relname !~ '^kysely_')`;

/** What differs between two databases that were made alike. */
const unstable = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:[\d.]+(?:\+[\d:]+)?/g, '<time>');

type Seen = Readonly<Record<string, unknown>>;

async function look(database: TestDatabase): Promise<Seen> {
  const dump = execFileSync('pg_dump', ['--schema-only', '--dbname', database.url], {
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const seen: Record<string, unknown> = {
      dump: dump.split('\n').filter((line) => !/^(?:--|\\(?:un)?restrict )/.test(line)),
    };
    for (const [name, query] of Object.entries(CATALOGUE)) seen[name] = (await client.query(`${OURS} ${query}`)).rows;
    const tables = await client.query<{ relname: string }>(
      `${OURS} select relname from ours where relkind = 'r' order by 1`,
    );
    const rows: Record<string, readonly string[]> = {};
    for (const { relname } of tables.rows) {
      const found = await client.query<{ row: string }>(`select to_jsonb(t)::text as row from ${relname} t order by 1`);
      if (found.rows.length > 0) rows[relname] = found.rows.map(({ row }) => unstable(row));
    }
    const { rows: names } = await client.query<{ name: string }>('select name from kysely_migration order by 1');
    return { ...seen, rows, migrations: names.map(({ name }) => name).filter((name) => name !== BASELINE) };
  } finally {
    await client.end();
  }
}

const differing = (one: Seen, other: Seen): readonly string[] =>
  Object.keys(one).filter((part) => !isDeepStrictEqual(one[part], other[part]));

/** Each is one statement, and must be found. */
const PLANTS: readonly string[] = [
  'alter table accounts add column other text',
  'alter table ledger_accounts drop constraint ledger_accounts_check',
  'drop index usage_events_by_key',
  'alter function ledger_alone(jsonb[]) reset jit',
  'drop trigger never on ledger_entries',
  'revoke insert on audit from trivium_app',
  "comment on table accounts is 'other'",
  'delete from alert_rounds',
  'alter policy own_keys on keys using (true)',
  'alter table stored_responses alter column sealed set storage extended',
  'alter table audit no force row level security',
  "delete from kysely_migration where name = '0030-ledger'",
];

async function unseenPlants(baseline: URL, expected: Seen): Promise<readonly string[]> {
  const database = await made(baseline);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const unseen: string[] = [];
  for (const plant of PLANTS) {
    // Committed, because `pg_dump` looks as well; each leaves the ones before in place, so it is the change that must be seen.
    const before = await look(database);
    await client.query(plant);
    if (differing(before, await look(database)).length === 0) unseen.push(plant);
  }
  if (differing(expected, await look(database)).length === 0) unseen.push('all of them');
  await client.end();
  await database.drop();
  return unseen;
}

async function made(migrations: URL): Promise<TestDatabase> {
  const database = await emptyDatabase();
  await migrate(database.settings, migrations);
  return database;
}

/** Code of the commit before, with its own files: what it would do to this database. */
function stepsOfTheCommitBefore(folder: string, url: string): string {
  const code = `import { migrate } from './packages/gateway/src/store/migrate.ts';
    const { applied } = await migrate({ url: ${JSON.stringify(url)}, maxConnections: 2, connectMs: 20000, statementMs: 30000 });
    console.log(applied.join(', '));`;
  const args = ['--conditions=trivium-source', '--input-type=module-typescript', '--eval', code];
  return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).trim();
}

const history = openPreviousRelease(LAST_BEFORE, ['packages', 'package.json']);
const alone = mkdtempSync(join(tmpdir(), 'baseline-'));
try {
  console.log(`migrations of ${history.title}`);
  const old = join(history.folder, MIGRATIONS);
  const names = readdirSync(old).flatMap((name) => (name.endsWith('.sql') ? [name.slice(0, -'.sql'.length)] : []));
  cpSync(new URL('baseline', OWN), join(alone, 'baseline'), { recursive: true });
  const baseline = pathToFileURL(`${alone}/`);
  const [before, now] = [await made(pathToFileURL(`${old}/`)), await made(baseline)];
  const expected = await look(before);
  const differences = differing(expected, await look(now));
  const forgotten = names.filter((name) => !(expected['migrations'] as readonly string[]).includes(name));
  const listed = isDeepStrictEqual(await namesBefore(baseline), names.sort());
  const again = [
    (await migrate(before.settings, baseline)).applied.join(', '),
    stepsOfTheCommitBefore(history.folder, now.url),
  ];
  const untouched = differing(expected, await look(before)).length === 0;
  const unseen = await unseenPlants(baseline, expected);
  await before.drop();
  await now.drop();
  const ok =
    differences.length + forgotten.length + unseen.length === 0 &&
    listed &&
    untouched &&
    again.every((steps) => steps === '');
  console.log(
    JSON.stringify({
      ok,
      migrations: names.length,
      dumpedLines: (expected['dump'] as readonly string[]).length,
      compared: Object.keys(expected).length,
      differences,
      listed,
      stepsOnADatabaseBefore: again[0],
      stepsOfTheCommitBeforeOnThis: again[1],
      untouched,
      planted: PLANTS.length,
      unseen,
    }),
  );
  if (!ok) process.exitCode = 1;
} finally {
  history.close();
  rmSync(alone, { recursive: true });
}
