/**
 * A separate database for a test file: a copy of a migrated template, which is much faster than running the migrations.
 * Starts the checkout's PostgreSQL if it does not run; `npm run services -- stop` ends it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { LAST_BEFORE } from '../../packages/gateway/src/store/baseline.ts';
import { MIGRATIONS, migrate } from '../../packages/gateway/src/store/migrate.ts';
import type { StoreSettings } from '../../packages/gateway/src/store/postgres/store.ts';
import { MIGRATIONS as MIGRATIONS_FOLDER, openPreviousRelease } from '../../scripts/previous-release.ts';
import { startServices } from '../../scripts/services/services.ts';

export type TestDatabase = { readonly url: string; readonly settings: StoreSettings; drop(): Promise<void> };

/** An arbitrary advisory lock number, used only here. */
const TEMPLATE_LOCK = 7_214_309;

export const storeSettings = (url: string): StoreSettings => ({
  url,
  maxConnections: 10,
  connectMs: 20_000,
  statementMs: 30_000,
});

const at = (serverUrl: string, database: string): string => new URL(`/${database}`, serverUrl).href;

/** Named by a hash of the migrations, so that a changed migration gets a new template. */
function templateName(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(MIGRATIONS, { encoding: 'utf8', recursive: true }).sort())
    if (file.endsWith('.sql')) hash.update(file).update(readFileSync(new URL(file, MIGRATIONS)));
  return `template_${hash.digest('hex').slice(0, 24)}`;
}

async function withServer<T>(serverUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function ensureTemplate(client: Client, serverUrl: string): Promise<string> {
  const name = templateName();
  await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      const unfinished = `${name}_${randomBytes(4).toString('hex')}`;
      await client.query(`create database ${unfinished}`);
      await migrate(storeSettings(at(serverUrl, unfinished)));
      await client.query(`alter database ${unfinished} rename to ${name}`);
    }
    return name;
  } finally {
    await client.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
}

async function create(server: string, from: (client: Client) => Promise<string>): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await withServer(
    server,
    async (client) => void (await client.query(`create database ${name} ${await from(client)}`)),
  );
  const url = at(server, name);
  return {
    url,
    settings: storeSettings(url),
    drop: () => withServer(server, async (client) => void (await client.query(`drop database ${name} with (force)`))),
  };
}

/** Migrated. `serverUrl`: of a server the test has started itself, to kill it. */
export async function freshDatabase(serverUrl?: string): Promise<TestDatabase> {
  const server = serverUrl ?? (await startServices()).databaseUrl;
  return create(server, async (client) => `template ${await ensureTemplate(client, server)}`);
}

/** An empty database, before any migration. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return create((await startServices()).databaseUrl, async () => '');
}

/** The schema as it was before the baseline: `last` is the number of the last migration it has, of those in the history. */
export async function databaseAsOf(last: string): Promise<TestDatabase> {
  const before = openPreviousRelease(LAST_BEFORE, [MIGRATIONS_FOLDER]);
  try {
    const folder = join(before.folder, MIGRATIONS_FOLDER);
    for (const name of readdirSync(folder)) if (name.slice(0, last.length) > last) rmSync(join(folder, name));
    const database = await emptyDatabase();
    await migrate(database.settings, pathToFileURL(`${folder}/`));
    return database;
  } finally {
    before.close();
  }
}
