/**
 * The schema of 0.1.0 in one step, in place of the migrations that led to it. An empty database gets it, and their names with it: so nodes
 * of the version before find nothing to do there. A database that has them all stands where the baseline leads, and is not touched.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration } from 'kysely/migration';

/** After the migrations that it stands for, before all others. */
export const BASELINE = '0112-baseline';
/** Beside the migrations. */
const FOLDER = 'baseline/';
const NAMES = 'stands-for.txt';

/** The last commit that had them, through which an older database goes. */
export const LAST_BEFORE = '8e829fa3';

/** Undefined: there is none in this folder of migrations. */
export async function namesBefore(migrations: URL): Promise<readonly string[] | undefined> {
  const names = new URL(`${FOLDER}${NAMES}`, migrations);
  return existsSync(names) ? (await readFile(names, 'utf8')).split('\n').filter((line) => line !== '') : undefined;
}

/** Its files one after the other: together they are one step. */
export async function readBaseline(migrations: URL): Promise<string> {
  const folder = new URL(FOLDER, migrations);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return (await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')))).join('\n');
}

/** Nothing where it is not needed. Throws for a database that has only some of the migrations before. */
export async function baselineStep(
  migrations: URL,
  recorded: readonly string[],
): Promise<Readonly<Record<string, Migration>>> {
  const before = await namesBefore(migrations);
  if (before === undefined) return {};
  const lacking = before.filter((name) => !recorded.includes(name));
  if (lacking.length === 0) return {};
  if (lacking.length < before.length)
    throw new Error(
      `the database is older than 0.1.0: it lacks ${lacking.join(', ')}. Migrate it first with commit ${LAST_BEFORE} (\`git checkout ${LAST_BEFORE} && npm ci && npm run trivium -- migrate\`), then with this version`,
    );
  return { [BASELINE]: { up: async (db) => createAll(db, await readBaseline(migrations), before) } };
}

async function createAll(db: Kysely<unknown>, text: string, before: readonly string[]): Promise<void> {
  await sql.raw(text).execute(db);
  await sql`insert into ${sql.table(DEFAULT_MIGRATION_TABLE)} (name, timestamp)
    select name, to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') from unnest(${before}::text[]) as name`.execute(
    db,
  );
}
