// `trivium doctor` lists what an installation lacks, with the next step, and fails only for what stops a gateway from working.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '@trivium/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { FakeVault, ROOT_TOKEN } from '../../packages/gateway/src/upstream/secrets/vault.fixture.ts';
import { startServices } from '../../scripts/services/services.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../support/database.ts';

const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
let database: TestDatabase;
let simulator: Simulator;
let redisUrl: string;
beforeAll(async () => {
  database = await freshDatabase();
  ({ redisUrl } = await startServices());
  simulator = await startSimulator({});
});
afterAll(async () => {
  await simulator.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

type Finding = { readonly check: string; readonly status: string; readonly detail: string; readonly next?: string };

const examine = async (config: object, ...args: readonly string[]) => {
  const file = join(folder, 'trivium.json');
  writeFileSync(file, JSON.stringify({ keys: [], ...config }));
  const terminal = fakeTerminal();
  await runCommandLine(['doctor', '--config', file, '--json', ...args], terminal);
  const { ok, findings } = JSON.parse(terminal.output.join('\n')) as { ok: boolean; findings: readonly Finding[] };
  return { ok, exitCode: terminal.exitCode, of: (check: string) => findings.find((each) => each.check === check) };
};
const anywhere = { host: '127.0.0.1', port: 0 };
const host = (path: string, credential?: string) => ({
  dialect: 'openai-chat',
  baseUrl: `${simulator.url}${path}`,
  ...(credential !== undefined && { credential }),
});

test('doctor reports no problem for a complete installation', async () => {
  const { ok, exitCode, of } = await examine({
    listen: anywhere,
    admin: anywhere,
    database: { url: database.url },
    redis: { url: redisUrl },
    ledger: { journal: join(folder, 'journal') },
    blobs: { folder: join(folder, 'blobs') },
    providers: { taken: host('/openai/v1', 'sk-upstream-1') },
  });
  expect({ ok, exitCode }).toEqual({ ok: true, exitCode: 0 });
  for (const check of ['Node.js', 'Configuration', 'Port', 'Admin port', 'Database', 'Database schema', 'Redis'])
    expect(of(check), check).toMatchObject({ status: 'ok' });
  for (const check of ['Clock (database)', 'Clock (Redis)', 'Journal folder', 'Media folder', 'Provider taken'])
    expect(of(check), check).toMatchObject({ status: 'ok' });
});

test('doctor lists what is missing, with the next step', async () => {
  const busy = createServer().listen(0, '127.0.0.1');
  await once(busy, 'listening');
  const { port } = busy.address() as AddressInfo;
  const refusing = createServer((socket) =>
    socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
  ).listen(0, '127.0.0.1');
  await once(refusing, 'listening');
  const { ok, exitCode, of } = await examine({
    listen: { host: '127.0.0.1', port },
    admin: anywhere,
    database: { url: 'postgres://trivium@127.0.0.1:1/trivium' },
    redis: { url: 'redis://127.0.0.1:1' },
    providers: {
      refusing: {
        dialect: 'openai-chat',
        baseUrl: `http://127.0.0.1:${(refusing.address() as AddressInfo).port}/v1`,
        credential: 'sk-wrong',
      },
      gone: { dialect: 'openai-chat', baseUrl: 'http://127.0.0.1:1/v1' },
      groq: {},
    },
  });
  busy.close();
  refusing.close();
  expect({ ok, exitCode }).toEqual({ ok: false, exitCode: 1 });
  expect(of('Port')).toMatchObject({ status: 'fail', next: 'end the program that has it, or change listen.port' });
  expect(of('Database')).toMatchObject({ status: 'fail', detail: 'connect ECONNREFUSED 127.0.0.1:1' });
  expect(of('Redis')).toMatchObject({ status: 'warn', detail: 'connect ECONNREFUSED 127.0.0.1:1' });
  expect(of('Provider refusing')).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/^the credential was refused \(401\): \w/),
  });
  expect(of('Provider gone')).toMatchObject({ status: 'fail', detail: expect.stringMatching(/^no answer \(E\w+\): /) });
  expect(of('Provider groq')).toMatchObject({ status: 'warn', next: expect.stringContaining('providers.groq') });
});

test('doctor fails for a journal folder that cannot be created', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const journal = join(file, 'journal');
  const { of } = await examine({
    listen: anywhere,
    admin: anywhere,
    database: { url: database.url },
    ledger: { journal },
  });
  expect(of('Journal folder')).toMatchObject({ status: 'fail', next: expect.stringContaining('ledger.journal') });
});

test('doctor fails for an outdated schema that serve may not migrate, and else only notes it', async () => {
  const empty = await emptyDatabase();
  const at = { listen: anywhere, admin: anywhere };
  const strict = await examine({ ...at, database: { url: empty.url, migrate: false } });
  expect(strict.of('Database schema')).toMatchObject({
    status: 'fail',
    next: expect.stringContaining('trivium migrate'),
  });
  const usual = await examine({ ...at, database: { url: empty.url } });
  expect(usual.of('Database schema')).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/serve applies them/),
  });
  await empty.drop();
});

test('doctor reports configuration errors, and calls no provider with --offline', async () => {
  const wrong = await examine({ listne: {} });
  expect(wrong.of('Configuration')).toMatchObject({ status: 'fail', detail: expect.stringContaining('"listen"') });
  const before = simulator.truth.read().length;
  const offline = await examine(
    { listen: anywhere, admin: anywhere, providers: { taken: host('/openai/v1', 'sk-1') } },
    '--offline',
  );
  expect(offline.of('Provider taken')).toBeUndefined();
  expect(simulator.truth.read().length).toBe(before);
});

test('doctor reads secrets of stores, and proves them at their hosts', async () => {
  const vault = new FakeVault();
  vault.put('taken', { key: 'sk-upstream-1' });
  vault.put('seals', { key: 'a seal key in the store' });
  await vault.listen();
  try {
    const config = (token: string) => ({
      listen: anywhere,
      admin: anywhere,
      secretStores: { main: { kind: 'vault', address: vault.origin, auth: 'token', token, waitMs: 2000 } },
      providers: {
        taken: host('/openai/v1', 'vault:main/taken#key'),
        absent: host('/openai/v1', 'vault:main/absent#key'),
      },
    });
    const { of } = await examine(config(ROOT_TOKEN));
    expect(of('Provider taken')).toMatchObject({ status: 'ok' });
    expect(of('Provider absent')).toMatchObject({ status: 'fail', detail: expect.stringContaining('could not read') });
    const sealed = { ...config('wrong'), seals: { keys: ['vault:main/seals#key'] } };
    expect((await examine(sealed)).of('Configuration')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('seals.keys[0]: cannot be read from its store'),
    });
    expect((await examine(sealed, '--offline')).of('Configuration')).toMatchObject({ status: 'fail' });
    expect((await examine({ ...sealed, ...config(ROOT_TOKEN) })).of('Configuration')).toMatchObject({ status: 'ok' });
  } finally {
    await vault.close();
  }
});
