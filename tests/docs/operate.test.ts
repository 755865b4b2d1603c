/** What docs/operate/database.md tells operators to type, typed: back up, restore on another server, rotate, and read the books. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePort } from '../../scripts/services/free-port.ts';
import { startPostgres, stopPostgres } from '../../scripts/services/postgres.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { PRICED_MODELS } from '../support/priced-models.ts';
import { fencesOf } from './markdown.ts';
import { ROOT, read } from './tree.ts';

const STORE_KEYS = ['a key for what is stored, 32 characters', 'another key for what is stored, 32 of them'];
const CREDENTIAL = 'sk-upstream-canary-stored-0123456789';
const LIMIT_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'operate-'));
const server = mkdtempSync(join(tmpdir(), 'operate-server-'));
let stand: AdminStand;
let key: { id: string; secret: string };
let newUrl: string;

const configOf = (keys: readonly string[]) => (): Record<string, unknown> => ({ secrets: { keys } });
const hosts = () => ({ providers: {}, models: PRICED_MODELS });

/** Runs a block of the document as it stands, in a folder with a configuration and `trivium` in the path. */
async function type(id: string, env: Readonly<Record<string, string>> = {}) {
  const block = fencesOf(read('docs/operate/database.md')).find((fence) => fence.id === id)?.text ?? 'false';
  const child = spawn('bash', ['-ec', block], {
    cwd: folder,
    timeout: LIMIT_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${folder}:${process.env['PATH']}`,
      TRIVIUM_ADMIN_URL: stand.gateway.adminUrl,
      TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET,
      ...env,
    },
  });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status: status as number | null, output: `${stdout}${stderr}` };
}

const configure = (url: string): void =>
  writeFileSync(join(folder, 'trivium.yaml'), JSON.stringify({ keys: [], database: { url } }));

const asUser = (url: string, name: string, password: string): string => {
  const other = new URL(url);
  [other.username, other.password] = [name, password];
  return other.href;
};

async function query(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Roles belong to the server, which outlives the test. */
const dropBackupRole = (): Promise<void> => query(stand.database.url, 'drop role if exists trivium_backup');

beforeAll(async () => {
  const command = `exec ${process.execPath} --conditions=trivium-source ${ROOT}/packages/cli/src/main.ts "$@"\n`;
  writeFileSync(join(folder, 'trivium'), `#!/bin/sh\n${command}`);
  chmodSync(join(folder, 'trivium'), 0o755);
  chmodSync(server, 0o755);
  stand = await openAdminStand({ config: configOf(STORE_KEYS.slice(0, 1)), alsoHosts: hosts });
  await dropBackupRole();
  await stand.admin('POST', '/accounts', { id: 'acme', name: 'Acme', kind: 'prepaid' });
  await stand.admin('POST', '/accounts/acme/credits', { usd: '5', id: 'first' });
  const { json } = await stand.admin('POST', '/accounts/acme/keys', { name: 'app' });
  key = { id: (json['key'] as { id: string }).id, secret: json['secret'] as string };
  await stand.admin('POST', '/providers/groq/credential', { credential: CREDENTIAL });
  newUrl = startPostgres(join(server, 'postgres'), await freePort()).url;
}, LIMIT_MS);
afterAll(async () => {
  await dropBackupRole();
  await stand.close();
  stopPostgres(join(server, 'postgres'));
  for (const path of [folder, server]) rmSync(path, { recursive: true });
});

const chat = (secret: string, on = stand) => on.chat(secret, { model: 'priced/flat', max_tokens: 100 });
const spentUsd = async (on = stand): Promise<unknown> =>
  (await on.admin('GET', '/accounts/acme/credits')).json['spentUsd'];

test(
  'a backup restored on another server has the accounts, keys, credentials and right books',
  async () => {
    expect((await chat(key.secret)).status).toBe(200);
    await vi.waitFor(async () => expect(await spentUsd()).not.toBe('0'), LIMIT_MS / 2);
    const { url } = stand.database;
    configure(url);
    expect(await type('back-up')).toMatchObject({ status: 0, output: expect.stringMatching(/^ {2}secrets\.keys /m) });
    configure(newUrl);
    expect(await type('restore')).toMatchObject({ status: 0, output: expect.stringMatching(/Ledger audit passed/) });

    const database = { url: newUrl, settings: stand.database.settings, drop: async () => undefined };
    const restored = await openAdminStand({ config: configOf(STORE_KEYS.slice(0, 1)), alsoHosts: hosts }, database);
    try {
      expect(await spentUsd(restored)).toBe(await spentUsd());
      expect((await chat(key.secret, restored)).status).toBe(200);
      expect((await restored.admin('GET', '/audit/verify')).json).toMatchObject({ intact: true });
      const { json } = await restored.admin('GET', '/providers');
      expect(json['items']).toContainEqual(expect.objectContaining({ id: 'groq', credential: 'database' }));
    } finally {
      await restored.close();
    }
  },
  3 * LIMIT_MS,
);

test('a role for other schedules of backups reads every row', { timeout: LIMIT_MS }, async () => {
  const { url } = stand.database;
  const made = await type('backup-role', { SUPERUSER_URL: url, BACKUP_PASSWORD: 'of-no-use-elsewhere' });
  expect(made).toMatchObject({ status: 0 });
  const dumped = spawnSync('pg_dump', [
    '--data-only',
    '--table=accounts',
    asUser(url, 'trivium_backup', 'of-no-use-elsewhere'),
  ]);
  expect(dumped.stdout.toString()).toMatch(/^acme\t/m);
});

test('the audit reports books that were touched', { timeout: LIMIT_MS }, async () => {
  await query(newUrl, "update ledger_accounts set credit = credit + 1 where account_id = 'acme'");
  configure(newUrl);
  const { status, output } = await type('audit');
  expect(status).toBe(1);
  expect(output).toMatch(/^I\d+ +acme/m);
});

test(
  'secrets are rotated, and the metric of the invariants is there and zero',
  async () => {
    configure(stand.database.url);
    const rotated = await type('rotate', { KEY_ID: key.id, NEW_GROQ_KEY: `${CREDENTIAL}-new` });
    expect(rotated).toMatchObject({ status: 0 });
    const [newKey = '', operator = ''] = [...rotated.output.matchAll(/shown this once: (\S+)/g)].map(
      ([, it]) => it ?? '',
    );
    expect((await chat(newKey)).status).toBe(200);
    expect((await chat(key.secret)).status).toBe(200);
    expect((await stand.admin('GET', '/accounts', undefined, operator)).status).toBe(200);
    expect(await type('rewrap')).toMatchObject({ status: 0, output: expect.stringMatching(/^moved +0$/m) });
    expect(await type('invariants')).toMatchObject({ status: 0, output: 'trivium_ledger_violations 0\n' });
  },
  2 * LIMIT_MS,
);
