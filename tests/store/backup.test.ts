/** `trivium backup` and `trivium restore` as a user who owns the database and is no superuser, with the real programs of PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { migrate } from '../../packages/gateway/src/store/migrate.ts';
import { BEFORE_RESTORE } from '../../packages/gateway/src/store/postgres/backup-rows.ts';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { emptyDatabase, storeSettings, type TestDatabase } from '../support/database.ts';
import { PRICED_MODELS } from '../support/priced-models.ts';

const LIMIT_MS = 120_000;
const OWNER = `owner_${randomBytes(4).toString('hex')}`;
const PASSWORD = 'canary-of-the-owner';
const folder = mkdtempSync(join(tmpdir(), 'backup-'));
const dump = join(folder, 'trivium.dump');

let source: TestDatabase;
let target: TestDatabase;
/** Its superuser address, to look at everything. */
let superuserUrl: (database: TestDatabase) => string;
let stand: AdminStand | undefined;

async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Owned by the owner, and reached as the owner. */
async function ownedDatabase(): Promise<TestDatabase> {
  const database = await emptyDatabase();
  const url = new URL(database.url);
  await query(database.url, `alter database ${url.pathname.slice(1)} owner to ${OWNER}`);
  superuserUrl = (one) =>
    Object.assign(new URL(one.url), { username: new URL(database.url).username, password: '' }).href;
  Object.assign(url, { username: OWNER, password: PASSWORD });
  return { ...database, url: url.href, settings: storeSettings(url.href) };
}

async function run(database: TestDatabase, args: readonly string[], path = process.env['PATH'] ?? '') {
  const config = join(folder, 'trivium.yaml');
  writeFileSync(
    config,
    JSON.stringify({ keys: [], database: { url: database.url }, ledger: { journal: join(folder, 'journal') } }),
  );
  const terminal = fakeTerminal({ PATH: path });
  await runCommandLine([...args, '--config', config], terminal);
  return { exitCode: terminal.exitCode, said: [...terminal.output, ...terminal.errors].join('\n') };
}

/** Every table with its number of rows, but for what a restore changes: processes, and the rounds of the audit. */
async function rowsOf(database: TestDatabase): Promise<readonly string[]> {
  const counts = await query<{ name: string; rows: string }>(
    superuserUrl(database),
    `select c.oid::regclass::text as name,
       (xpath('/row/n/text()', query_to_xml('select count(*) as n from ' || c.oid::regclass, false, true, '')))[1]::text as rows
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname = 'public' and c.relname not in ('nodes', 'ledger_audits', 'ledger_audit_rounds') order by 1`,
  );
  return counts.map(({ name, rows }) => `${name} ${rows}`);
}

beforeAll(async () => {
  const first = await emptyDatabase();
  await query(first.url, BEFORE_RESTORE);
  await query(first.url, `create role ${OWNER} login createrole password '${PASSWORD}'`);
  await query(first.url, `grant trivium_app, trivium_writer to ${OWNER} with admin option`);
  await first.drop();
  source = await ownedDatabase();
  target = await ownedDatabase();
  await migrate(source.settings);
  stand = await openAdminStand({ alsoHosts: () => ({ providers: {}, models: PRICED_MODELS }) }, source);
  await stand.admin('POST', '/accounts', { id: 'acme', name: 'Acme', kind: 'prepaid' });
  await stand.admin('POST', '/accounts/acme/credits', { usd: '5', id: 'first' });
  const { json } = await stand.admin('POST', '/accounts/acme/keys', { name: 'app' });
  await stand.chat(json['secret'] as string, { model: 'priced/flat', max_tokens: 100 });
  await vi.waitFor(async () => {
    const usage = await query(superuserUrl(source), 'select from usage_events');
    expect(usage.length).toBe(1);
  }, LIMIT_MS / 2);
}, LIMIT_MS);
afterAll(async () => {
  await stand?.close();
  const url = superuserUrl(source);
  await target.drop();
  await source.drop();
  const maintenance = Object.assign(new URL(url), { pathname: '/postgres' }).href;
  await query(maintenance, `drop owned by ${OWNER}; drop role ${OWNER}`);
  rmSync(folder, { recursive: true });
});

test(
  'a backup is for its owner alone, says what is not in it, and replaces no file unless forced',
  async () => {
    const made = await run(source, ['backup', dump]);
    expect(made).toMatchObject({
      exitCode: 0,
      said: expect.stringMatching(/secrets\.keys[\s\S]*journals[\s\S]*media/),
    });
    expect(statSync(dump).mode & 0o777).toBe(0o600);
    expect(await run(source, ['backup', dump])).toMatchObject({ exitCode: 1, said: expect.stringMatching(/--force/) });
  },
  LIMIT_MS,
);

test(
  'while nodes use the database, a restore says to stop them first',
  async () => {
    const refused = await run(source, ['restore', dump, '--replace']);
    expect(refused).toMatchObject({
      exitCode: 1,
      said: expect.stringMatching(/nodes use the database .*Stop the nodes first/),
    });
  },
  LIMIT_MS,
);

test(
  'every row of every table is in another database after the restore, and the ledger is right',
  async () => {
    await stand?.close();
    stand = undefined;
    expect(await run(source, ['backup', dump, '--force'])).toMatchObject({
      exitCode: 0,
      said: expect.stringMatching(/^Wrote/),
    });
    const restored = await run(target, ['restore', dump]);
    expect(restored).toMatchObject({ exitCode: 0, said: expect.stringMatching(/Ledger audit passed: 0 violations/) });
    const rows = await rowsOf(source);
    expect(rows).toContainEqual(expect.stringMatching(/^usage_events_\S+ 1$/));
    expect(await rowsOf(target)).toEqual(rows);
  },
  LIMIT_MS,
);

test(
  'a database that is not empty is refused, and replaced when told to',
  async () => {
    const refused = await run(target, ['restore', dump]);
    expect(refused).toMatchObject({
      exitCode: 1,
      said: expect.stringMatching(/is not empty \(\d+ tables\).*--replace/),
    });
    await query(superuserUrl(target), 'create schema later; create table later.rows (id int)');
    const foreign = await run(target, ['restore', dump, '--replace']);
    expect(foreign).toMatchObject({ exitCode: 1, said: expect.stringMatching(/must be owner of schema later/) });
    await query(superuserUrl(target), `alter schema later owner to ${OWNER}; alter table later.rows owner to ${OWNER}`);
    expect(await run(target, ['restore', dump, '--replace'])).toMatchObject({ exitCode: 0 });
    expect(await query(superuserUrl(target), "select from pg_namespace where nspname = 'later'")).toEqual([]);
    expect(await rowsOf(target)).toEqual(await rowsOf(source));
  },
  LIMIT_MS,
);

test(
  'a file that ends early leaves the database as it was',
  async () => {
    const whole = readFileSync(dump);
    const cut = join(folder, 'cut.dump');
    writeFileSync(cut, whole.subarray(0, whole.length - 2000));
    const failed = await run(target, ['restore', cut, '--replace']);
    expect(failed).toMatchObject({ exitCode: 1, said: expect.stringMatching(/pg_restore failed/) });
    expect(await rowsOf(target)).toEqual(await rowsOf(source));
  },
  LIMIT_MS,
);

test(
  'a backup that would lack rows is refused, and leaves no file',
  async () => {
    await query(superuserUrl(target), 'create policy less on accounts as restrictive using (false)');
    const file = join(folder, 'less.dump');
    const refused = await run(target, ['backup', file]);
    expect(refused).toMatchObject({ exitCode: 1, said: expect.stringMatching(/cannot read every row of accounts/) });
    expect([file, `${file}.partial`].some(existsSync)).toBe(false);
  },
  LIMIT_MS,
);

test(
  'errors name the program that is missing, and never the password',
  async () => {
    const away = { ...target, url: target.url.replace(/:\d+\//, ':1/') };
    for (const args of [
      ['backup', join(folder, 'away.dump')],
      ['restore', dump],
    ]) {
      const { exitCode, said } = await run(away, args);
      expect(exitCode).toBe(1);
      expect(said).not.toContain(PASSWORD);
    }
    const missing = await run(source, ['backup', join(folder, 'none.dump')], folder);
    expect(missing).toMatchObject({ exitCode: 1, said: expect.stringMatching(/psql is not on the PATH/) });
  },
  LIMIT_MS,
);
