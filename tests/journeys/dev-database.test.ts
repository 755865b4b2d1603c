/** `trivium dev` with its own database: no installation, no data loss when killed, no server left when stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callAdmin } from '../support/admin-stand.ts';
import { waitUntil } from '../support/wait-until.ts';

const COMMAND = new URL('../../packages/cli/src/main.ts', import.meta.url).pathname;
const DEADLINE_MS = 60_000;

type Dev = { readonly child: ChildProcess; readonly printed: string };

const folder = mkdtempSync(join(tmpdir(), 'dev-database-'));
const started: ChildProcess[] = [];
beforeAll(() => chmodSync(folder, 0o755));
afterAll(async () => {
  for (const child of started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
  rmSync(folder, { recursive: true });
});

function spawnDev(more: readonly string[] = [], errors: 'inherit' | 'ignore' = 'inherit') {
  const args = ['--conditions=trivium-source', COMMAND, 'dev', '--port', '0', '--data', 'kept', ...more];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', errors] });
  started.push(child);
  return child;
}

async function startDev(): Promise<Dev> {
  const child = spawnDev();
  let printed = '';
  child.stdout.on('data', (piece: Buffer) => {
    printed += piece.toString();
  });
  await waitUntil('the line to paste', () => /^curl .*\n/m.test(printed) || child.exitCode !== null, DEADLINE_MS);
  return { child, printed };
}

const said = ({ printed }: Dev, name: string): string => new RegExp(`^${name}: +(.+)$`, 'm').exec(printed)?.[1] ?? '';
const operatorOf = ({ printed }: Dev): string => /TRIVIUM_ADMIN_SECRET=(\S+)/.exec(printed)?.[1] ?? '';

const post = (dev: Dev, path: string, body: object): Promise<Response> =>
  fetch(`${said(dev, 'gateway')}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${said(dev, 'key')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'simulator/echo', ...body }),
  });
const ask = (dev: Dev): Promise<Response> =>
  post(dev, '/chat/completions', { messages: [{ role: 'user', content: 'Hello' }] });
/** Whether it is stored, of a response whose request does not say. */
const isStored = async (dev: Dev): Promise<unknown> => {
  const answer = await post(dev, '/responses', { input: 'Hello' });
  return ((await answer.json()) as { store?: unknown }).store;
};

const asOperator = (dev: Dev, method: string, path: string, body?: object) =>
  callAdmin(said(dev, 'admin'), method, path, body, { authorization: `Bearer ${operatorOf(dev)}` });

async function costOf(dev: Dev, id: string): Promise<number> {
  const headers = { authorization: `Bearer ${said(dev, 'key')}` };
  const answer = await fetch(`${said(dev, 'gateway')}/api/v1/generation?id=${id}`, { headers });
  const { data } = (await answer.json()) as { data?: { cost_usd: string } };
  return Number(data?.cost_usd);
}

const postmaster = (): string => join(folder, 'kept/postgres/data/postmaster.pid');

test('accounts survive a kill, a second dev in the folder runs without a database and stores nothing, and no server is left behind', {
  timeout: 3 * DEADLINE_MS,
}, async () => {
  const first = await startDev();
  expect(said(first, 'database'), first.printed).toBe(join(folder, 'kept'));
  expect(statSync(join(folder, 'kept/secrets.json')).mode & 0o077).toBe(0);
  const account = { id: 'team', name: 'A team', kind: 'prepaid' };
  expect((await asOperator(first, 'POST', '/accounts', account)).status).toBe(201);
  const answer = await ask(first);
  expect(answer.status).toBe(200);
  await answer.text();
  expect(await costOf(first, answer.headers.get('x-request-id') ?? '')).toBeGreaterThan(0);

  expect(said(first, 'content')).toMatch(/kept for 1 hour\b.*state\.keepHours/);
  expect(await isStored(first)).toBe(true);

  const beside = await startDev();
  expect(said(beside, 'database')).toBe(`none (another \`trivium dev\` uses ${join(folder, 'kept')})`);
  expect((await ask(beside)).status).toBe(200);
  expect({ content: said(beside, 'content'), isStored: await isStored(beside) }).toEqual({
    content: '',
    isStored: false,
  });

  const killed = once(first.child, 'exit');
  first.child.kill('SIGKILL');
  await killed;
  const again = await startDev();
  expect(said(again, 'database'), again.printed).toBe(join(folder, 'kept'));
  expect(said(again, 'key')).toBe(said(first, 'key'));
  expect((await asOperator(again, 'GET', '/accounts/team')).json).toMatchObject(account);
  expect((await ask(again)).status).toBe(200);

  expect(readFileSync(postmaster(), 'utf8')).toMatch(/127\.0\.0\.1/);
  const stopped = once(again.child, 'exit');
  again.child.kill('SIGTERM');
  expect(await stopped).toEqual([0, null]);
  expect(existsSync(postmaster())).toBe(false);
});

test('a signal during the start leaves no server behind', { timeout: 2 * DEADLINE_MS }, async () => {
  const child = spawnDev();
  const ended = once(child, 'exit');
  await waitUntil('the database server starts', () => existsSync(postmaster()), DEADLINE_MS);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(existsSync(postmaster())).toBe(false);
});

test('a start that fails beside the database leaves no server behind', { timeout: 2 * DEADLINE_MS }, async () => {
  // The local port of a connection accepts no connections and cannot be listened on.
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connection = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(connection, 'connect');
  const child = spawnDev(['--simulator-port', String(connection.localPort)], 'ignore');
  const [code] = await once(child, 'exit');
  connection.destroy();
  server.close();
  expect(code).toBe(1);
  expect(existsSync(postmaster())).toBe(false);
});

test('a server that dev started and cannot use is stopped', { timeout: 2 * DEADLINE_MS }, async () => {
  const file = join(folder, 'kept/secrets.json');
  const secrets = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...secrets, databasePassword: 'another' }));
  const dev = await startDev();
  expect(said(dev, 'database')).toMatch(/^none \(.*password/);
  expect((await ask(dev)).status).toBe(200);
  expect(existsSync(postmaster())).toBe(false);
});
