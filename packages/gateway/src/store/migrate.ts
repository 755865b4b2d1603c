/** Brings the schema up to this release: plain SQL files through Kysely's migrator, all of them or none. */
import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { installJobs } from './jobs.ts';
import { kyselyOn, openPool, type StoreSettings } from './store.ts';

/** Beside `src` in the workspace and beside `dist` in the published package. */
export const MIGRATIONS = new URL('../../migrations/', import.meta.url);

/** Building an index on a full table takes longer than any query of a request may. */
const STEP_LIMIT_MS = 3_600_000;

async function readMigrations(folder: URL): Promise<Record<string, Migration>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  if (names.length === 0) throw new Error(`no migration in ${folder.pathname}`);
  const steps = names.map(async (name): Promise<[string, Migration]> => {
    const text = await readFile(new URL(name, folder), 'utf8');
    return [name.slice(0, -'.sql'.length), { up: async (db) => void (await sql.raw(text).execute(db)) }];
  });
  return Object.fromEntries(await Promise.all(steps));
}

export type Migrated = { readonly applied: readonly string[] };

async function withMigrator<T>(
  settings: StoreSettings,
  folder: URL,
  work: (migrator: Migrator) => Promise<T>,
): Promise<T> {
  const pool = openPool({ ...settings, maxConnections: 1, statementMs: STEP_LIMIT_MS }, undefined, () => undefined);
  const db = kyselyOn(pool);
  const provider = { getMigrations: () => readMigrations(folder) };
  try {
    // Branches add steps side by side; each is written so that it may come after the other.
    return await work(new Migrator({ db, provider, allowUnorderedMigrations: true }));
  } finally {
    await db.destroy();
  }
}

/** Throws with the step and the cause; then nothing has changed. */
export async function migrate(settings: StoreSettings, folder: URL = MIGRATIONS): Promise<Migrated> {
  const migrated = await runSteps(settings, folder);
  await installJobs(settings);
  return migrated;
}

const runSteps = (settings: StoreSettings, folder: URL): Promise<Migrated> =>
  withMigrator(settings, folder, async (migrator) => {
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error !== undefined) {
      const step = results.find(({ status }) => status === 'Error')?.migrationName ?? 'before the first step';
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`the database could not be migrated (${step}): ${reason}`, { cause: error });
    }
    return { applied: results.map(({ migrationName }) => migrationName) };
  });

export const pendingMigrations = (settings: StoreSettings, folder: URL = MIGRATIONS): Promise<readonly string[]> =>
  withMigrator(settings, folder, async (migrator) =>
    (await migrator.getMigrations()).filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name),
  );
