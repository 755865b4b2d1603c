/** Nodes and configuration at the admin API: running nodes, their settings, and what a restart or a reload would change. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, type Gateway, loadConfig, startGateway } from '@trivium/gateway';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { OPERATOR, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { callAdmin, OPERATOR_SECRET } from '../support/admin-stand.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

type Items = readonly Record<string, unknown>[];

const KEY = 'sk-canary-key-of-a-caller-0123456789abcdefghij';
const CREDENTIAL = 'canary-credential-0123456789abcdefghij';
const STORED = 'canary-stored-credential-0123456789abc';
const VAULT = 'canary-vault-key-0123456789abcdefghijklmnop';
const REFERENCED = 'canary-referenced-0123456789abcdefghij';

let database: TestDatabase;
let folder: string;
let file: string;
beforeAll(async () => {
  database = await freshDatabase();
  folder = mkdtempSync(join(tmpdir(), 'trivium-nodes-'));
  file = join(folder, 'trivium.yaml');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

const text = (more: { port?: number; depth?: number; credential?: string; database?: boolean } = {}): string =>
  [
    `listen: { host: 127.0.0.1, port: ${more.port ?? 0} }`,
    `admin: { host: 127.0.0.1, port: 0, secret: ${OPERATOR_SECRET} }`,
    `limits: { jsonDepth: ${more.depth ?? 40} }`,
    'keys:',
    `  - { name: ci, secret: ${KEY}, account: acme }`,
    'providers:',
    `  openai: { credential: ${more.credential ?? CREDENTIAL} }`,
    '  groq: { credential: env:GROQ_CANARY }',
    '  mistral: {}',
    `secrets: { keys: [${VAULT}] }`,
    ...(more.database === false ? [] : [`database: { url: "${database.url}" }`]),
  ].join('\n');

const load = (): Config => {
  const loaded = loadConfig({ file, env: { GROQ_CANARY: REFERENCED, TRIVIUM_LOG_LEVEL: 'error' } });
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
};

const ask = async (gateway: Gateway, path: string) => {
  const answer = await callAdmin(gateway.adminUrl, 'GET', path, undefined, {
    authorization: `Bearer ${OPERATOR_SECRET}`,
  });
  for (const secret of [KEY, CREDENTIAL, STORED, VAULT, REFERENCED, OPERATOR_SECRET])
    expect(answer.text).not.toContain(secret);
  return { ...answer, items: (answer.json['items'] ?? []) as Items };
};
const idOf = async (gateway: Gateway): Promise<string> =>
  (await ask(gateway, '/nodes')).items.find(({ self }) => self === true)?.['id'] as string;

const PATIENCE = { timeout: 20_000, interval: 20 };
const listsNodes = (gateway: Gateway, count: number): Promise<void> =>
  vi.waitFor(async () => expect((await ask(gateway, '/nodes')).items).toHaveLength(count), PATIENCE);

describe('two nodes of one database', () => {
  let first: Gateway;
  let second: Gateway;
  beforeAll(async () => {
    writeFileSync(file, text());
    first = await startGateway({ config: load() });
    writeFileSync(file, text({ depth: 41 }));
    second = await startGateway({ config: load() });
    await listsNodes(first, 2);
    await listsNodes(second, 2);
  });
  afterAll(() => Promise.all([first.close(), second.close()]));
  beforeEach(() => writeFileSync(file, text()));

  test('each node lists both nodes, and marks itself', async () => {
    for (const [asked, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const { items } = await ask(asked, '/nodes');
      const self = items.find((item) => item['self'] === true);
      const rest = items.find((item) => item['self'] === false);
      expect(self).toMatchObject({
        pid: process.pid,
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        unready: null,
        generation: 1,
        listeners: { data: asked.url, admin: asked.adminUrl, members: null },
        unpostedSettlements: 0,
        usageWaiting: 0,
      });
      expect(rest).toMatchObject({ listeners: { data: other.url, admin: other.adminUrl }, generation: 1 });
      expect(self?.['configHash']).not.toBe(rest?.['configHash']);
    }
  });

  test('a setting has its value and its source; secrets are masked or shown as a reference', async () => {
    const { items } = await ask(first, '/config');
    const of = (path: string) => items.find((item) => item['path'] === path);
    expect(of('limits.jsonDepth')).toEqual({
      path: 'limits.jsonDepth',
      value: 40,
      source: 'file',
      place: 'trivium.yaml:3:22',
    });
    expect(of('limits.headerCount')).toMatchObject({ value: 200, source: 'default', place: null });
    expect(of('log.level')).toMatchObject({
      value: 'error',
      source: 'environment',
      place: 'environment TRIVIUM_LOG_LEVEL',
    });
    expect(of('keys.ci')).toMatchObject({
      value: { name: 'ci', secret: '[redacted]', account: 'acme' },
      source: 'file',
    });
    expect(of('providers.openai.credential')).toMatchObject({ value: '[redacted]', source: 'file' });
    expect(of('providers.groq.credential')).toMatchObject({ value: 'env:GROQ_CANARY', source: 'file' });
    expect(of('database.url')).toMatchObject({ value: '[redacted]' });
  });

  test('a credential from the database has the database as its source', async () => {
    const stored = await callAdmin(
      first.adminUrl,
      'POST',
      '/providers/mistral/credential',
      { credential: STORED },
      { authorization: `Bearer ${OPERATOR_SECRET}` },
    );
    expect(stored.status).toBe(200);
    const find = async () =>
      (await ask(first, '/config')).items.find((item) => item['path'] === 'providers.mistral.credential');
    await vi.waitFor(async () => expect(await find()).toBeDefined(), PATIENCE);
    expect(await find()).toMatchObject({ value: '[redacted]', source: 'database', place: null });
    // The file has none, and a restart would change nothing.
    expect((await ask(first, '/config/diff')).items).toEqual([]);
  });

  test('a changed file shows its differences, which of them need a restart, and its errors with their lines', async () => {
    expect((await ask(first, '/config/diff')).json).toMatchObject({ against: null, needsRestart: false, items: [] });
    writeFileSync(file, text({ depth: 50 }));
    expect((await ask(first, '/config/diff')).json).toMatchObject({
      needsRestart: false,
      items: [{ path: 'limits.jsonDepth', change: 'changed', from: 40, to: 50, needsRestart: false, secret: false }],
    });
    writeFileSync(file, text({ port: 4321, credential: 'another-credential-0123456789' }));
    expect((await ask(first, '/config/diff')).json).toMatchObject({
      needsRestart: true,
      items: [
        { path: 'listen.port', from: 0, to: 4321, needsRestart: true },
        {
          path: 'providers.openai.credential',
          from: '[redacted]',
          to: '[redacted]',
          secret: true,
          needsRestart: false,
        },
      ],
    });
    writeFileSync(file, 'keys: 1');
    expect((await ask(first, '/config/diff')).json).toMatchObject({
      problems: [{ place: 'trivium.yaml:1:7', path: 'keys' }],
      items: [],
    });
  });

  test('a reload applies what it can; the rest still differs from the file', async () => {
    writeFileSync(file, text({ port: 4321, depth: 60 }));
    await first.reload(load());
    const { items } = await ask(first, '/config/diff');
    expect(items.map(({ path }) => path)).toEqual(['listen.port']);
    const settings = (await ask(first, '/config')).items;
    expect(settings.find(({ path }) => path === 'limits.jsonDepth')).toMatchObject({ value: 60 });
    expect(settings.find(({ path }) => path === 'listen.port')).toMatchObject({ value: 0 });
    writeFileSync(file, text());
    await first.reload(load());
  });

  test('the settings of two nodes can be compared', async () => {
    const [one, other] = [await idOf(first), await idOf(second)];
    const { json } = await ask(first, `/config/diff?against=${other}`);
    expect(json).toMatchObject({
      node: one,
      against: other,
      items: [{ path: 'limits.jsonDepth', from: 40, to: 41, place: 'trivium.yaml:3:22' }],
    });
    const back = await ask(first, `/config/diff?node=${other}&against=${one}`);
    expect(back.items).toMatchObject([{ path: 'limits.jsonDepth', from: 41, to: 40 }]);
    const shown = await ask(first, `/config?node=${other}`);
    expect(shown.items.find(({ path }) => path === 'limits.jsonDepth')).toMatchObject({ value: 41 });
    expect((await ask(first, '/config?node=none')).status).toBe(404);
    expect((await ask(first, '/config/diff?against=none')).status).toBe(404);
  });

  test('a stopped node is no longer listed, nor one that has not reported for a minute', async () => {
    const third = await startGateway({ config: load() });
    await listsNodes(first, 3);
    await third.close();
    expect((await ask(first, '/nodes')).items).toHaveLength(2);
    const store = new Store({ url: database.url, maxConnections: 1, connectMs: 2000, statementMs: 5000 });
    try {
      await store.within(OPERATOR, (db) =>
        sql`insert into nodes (id, seen_at, report) values ('dead', now() - interval '61 s', '{}')`.execute(db),
      );
      expect((await ask(first, '/nodes')).items).toHaveLength(2);
      // Any node removes it with its next report.
      await first.reload(load());
      await vi.waitFor(async () => {
        const { rows } = await store.within(OPERATOR, (db) => sql`select from nodes where id = 'dead'`.execute(db));
        expect(rows).toEqual([]);
      }, PATIENCE);
    } finally {
      await store.close();
    }
  });
});

test('without a database a gateway shows itself alone', async () => {
  writeFileSync(file, text({ database: false }));
  const gateway = await startGateway({ config: load() });
  try {
    const { items } = await ask(gateway, '/nodes');
    expect(items).toMatchObject([{ self: true, listeners: { data: gateway.url } }]);
    expect((await ask(gateway, '/config')).items.length).toBeGreaterThan(50);
    expect((await ask(gateway, '/config/diff')).items).toEqual([]);
    expect((await ask(gateway, '/config?node=other')).status).toBe(404);
  } finally {
    await gateway.close();
  }
});
