/** Migrates the schema to this release: the baseline and plain SQL files through Kysely's migrator, all of them or none. */
import { readdir, readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import { Client } from 'pg';
import { reasonOf } from '../kernel/reason-of.ts';
import { baselineStep, namesBefore } from './baseline.ts';
import { buildIndexes } from './build-indexes.ts';
import { installJobs } from './jobs/jobs.ts';
import { kyselyOn, openPool, type StoreSettings } from './postgres/store.ts';
import type { Tables } from './postgres/tables.ts';
import { placeOf } from './postgres/unreachable.ts';

/** Beside `src` in the workspace and beside `dist` in the published package. */
export const MIGRATIONS = new URL('../../migrations/', import.meta.url);

/** Building an index on a full table takes longer than the statement timeout of requests. */
const STEP_LIMIT_MS = 3_600_000;

async function readMigrations(folder: URL): Promise<Record<string, Migration>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  if (names.length === 0 && (await namesBefore(folder)) === undefined)
    throw new Error(`no migration in ${folder.pathname}`);
  const steps = names.map(async (name): Promise<[string, Migration]> => {
    const text = await readFile(new URL(name, folder), 'utf8');
    return [name.slice(0, -'.sql'.length), { up: async (db) => void (await sql.raw(text).execute(db)) }];
  });
  return Object.fromEntries(await Promise.all(steps));
}

/** The names of the migrations that the schema has. */
async function recordedSteps(db: Kysely<Tables>): Promise<readonly string[]> {
  const known = await sql<{
    known: boolean;
  }>`select to_regclass(${DEFAULT_MIGRATION_TABLE}) is not null as known`.execute(db);
  if (known.rows[0]?.known !== true) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db);
  return rows.map(({ name }) => name);
}

/** Migrations of a later release that the schema already has only add to it, so this release can run on it; those before the baseline are in it. */
const withoutText = (names: readonly string[]): Record<string, Migration> =>
  Object.fromEntries(names.map((name) => [name, { up: async () => undefined }]));

/** One connection holds the lock and runs the migrations, one reads which were run. */
const CONNECTIONS = 2;

export type Migrated = { readonly applied: readonly string[] };

async function withMigrator<T>(
  settings: StoreSettings,
  folder: URL,
  work: (migrator: Migrator) => Promise<T>,
): Promise<T> {
  const limits = { maxConnections: CONNECTIONS, statementMs: STEP_LIMIT_MS };
  const db = kyselyOn(openPool({ ...settings, ...limits }, undefined, () => undefined));
  const provider = {
    getMigrations: async (): Promise<Record<string, Migration>> => {
      const recorded = await recordedSteps(db);
      return {
        ...withoutText(recorded),
        ...(await baselineStep(folder, recorded)),
        ...(await readMigrations(folder)),
      };
    },
  };
  try {
    // Branches add migrations in parallel; each is written so that it may run after the other.
    return await work(new Migrator({ db, provider, allowUnorderedMigrations: true }));
  } finally {
    await db.destroy();
  }
}

/** Throws with the migration and the cause; then nothing has changed. */
export async function migrate(settings: StoreSettings, folder: URL = MIGRATIONS): Promise<Migrated> {
  const migrated = await runSteps(settings, folder);
  await installJobs(settings);
  const client = new Client({ connectionString: settings.url, connectionTimeoutMillis: settings.connectMs });
  await client.connect();
  try {
    await buildIndexes(client);
  } finally {
    await client.end();
  }
  return migrated;
}

const runSteps = (settings: StoreSettings, folder: URL): Promise<Migrated> =>
  withMigrator(settings, folder, async (migrator) => {
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error !== undefined) {
      const step = results.find(({ status }) => status === 'Error')?.migrationName;
      const what = `the database ${placeOf(settings.url)} could not be migrated${step === undefined ? '' : ` (${step})`}`;
      throw new Error(`${what}: ${reasonOf(error)}`, { cause: error });
    }
    return { applied: results.map(({ migrationName }) => migrationName) };
  });

export const pendingMigrations = (settings: StoreSettings, folder: URL = MIGRATIONS): Promise<readonly string[]> =>
  withMigrator(settings, folder, async (migrator) =>
    (await migrator.getMigrations()).filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name),
  );
