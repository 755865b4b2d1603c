// Telemetry of signed-in agents goes to the operator's receiver byte for byte, or is dropped; the agent is told 200 either way.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { signInsFor } from '../support/signed-in.ts';
import { KEY } from '../support/stand.ts';

type Received = { readonly path: string; readonly headers: Record<string, unknown>; readonly body: Buffer };

const signIn = signInsFor();
const received: Received[] = [];
/** Requests that the receiver does not answer before this is called. */
let release: () => void = () => undefined;
let held: Promise<void> | undefined;
let receiver: Server;
let stand: AdminStand;
let token: string;
const MAX_BYTES = 100_000;

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const body = await buffer(request);
    received.push({ path: request.url ?? '', headers: request.headers, body });
    await held;
    response.writeHead(200).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const headers = { authorization: 'Bearer of-the-receiver' };
  stand = await openAdminStand({
    config: () => ({ agents: { telemetry: { url: `${url}/`, headers, maxBodyBytes: MAX_BYTES, maxAtOnce: 2 } } }),
  });
  token = signIn({ account: 'acme' });
});
afterAll(async () => {
  await stand.close();
  receiver.closeAllConnections();
  receiver.close();
});

const send = async (signal: string, body: Buffer, headers: Record<string, string> = {}, secret = token) => {
  const reply = await fetch(`${stand.url}/v1/${signal}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf', authorization: `Bearer ${secret}`, ...headers },
    body: new Uint8Array(body),
  });
  return { status: reply.status, text: await reply.text(), headers: reply.headers };
};
const arrived = (count: number): Promise<void> =>
  vi.waitFor(() => expect(received).toHaveLength(count), { timeout: 10_000, interval: 20 });

test('each signal arrives at its path with the same bytes, the headers of the operator, and no token', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  for (const signal of ['metrics', 'logs', 'traces'])
    expect(await send(signal, bytes)).toMatchObject({ status: 200, text: '' });
  const packed = gzipSync(bytes);
  await send('logs', packed, { 'content-encoding': 'gzip' });
  await arrived(4);
  const sorted = received.map(({ path }) => path).sort();
  expect(sorted).toEqual(['/v1/logs', '/v1/logs', '/v1/metrics', '/v1/traces']);
  for (const { headers, body } of received) {
    expect(body.equals(headers['content-encoding'] === 'gzip' ? packed : bytes)).toBe(true);
    expect([headers['authorization'], headers['content-type']]).toEqual([
      'Bearer of-the-receiver',
      'application/x-protobuf',
    ]);
    expect(JSON.stringify(headers)).not.toContain(token);
  }
  // Also where the base URL is a mount of the messages protocol.
  const reply = await fetch(`${stand.url}/api/anthropic/v1/metrics`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect(reply.status).toBe(200);
  await arrived(5);
});

test('what is too long, or too much at once, is dropped with a 200', async () => {
  const before = received.length;
  expect((await send('logs', Buffer.alloc(MAX_BYTES + 1))).status).toBe(200);
  held = new Promise((resolve) => {
    release = resolve;
  });
  for (let count = 0; count < 2; count++) await send('metrics', Buffer.from('held'));
  await arrived(before + 2);
  for (let count = 0; count < 3; count++) expect((await send('metrics', Buffer.from('dropped'))).status).toBe(200);
  release();
  await vi.waitFor(async () => {
    await send('traces', Buffer.from('after'));
    expect(received.at(-1)?.body.toString()).toBe('after');
  }, 10_000);
  const texts = received.slice(before).map(({ body }) => body.toString());
  expect(texts.filter((text) => text === 'held')).toHaveLength(2);
  expect(texts).not.toContain('dropped');
  expect(received.some(({ body }) => body.length > MAX_BYTES)).toBe(false);
});

test('keys and strangers send nothing', async () => {
  const other = signIn({ account: 'acme', client: 'app' });
  expect((await send('logs', Buffer.from('x'), {}, KEY)).status).toBe(403);
  expect((await send('logs', Buffer.from('x'), {}, other)).status).toBe(403);
  const stranger = await send('logs', Buffer.from('x'), {}, 'sk-nobody');
  expect([stranger.status, stranger.headers.get('x-should-retry')]).toEqual([401, 'false']);
  expect((await send('profiles', Buffer.from('x'))).status).toBe(404);
  expect(received.filter(({ body }) => body.toString() === 'x')).toEqual([]);
});

test('with the receiver down, or none configured, the agent is still told 200', async () => {
  receiver.closeAllConnections();
  receiver.close();
  await once(receiver, 'close');
  expect(await send('logs', Buffer.from('lost'))).toMatchObject({ status: 200, text: '' });
  const silent = await openAdminStand({}, stand.database);
  try {
    const reply = await fetch(`${silent.url}/v1/logs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-protobuf' },
      body: 'x',
    });
    expect(reply.status).toBe(200);
  } finally {
    await silent.close();
  }
});

test('the protocol is open to read, in our own words', async () => {
  for (const path of ['/protocol', '/api/anthropic/protocol']) {
    const reply = await fetch(stand.url + path);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    const text = await reply.text();
    for (const named of ['/managed/settings', '/api/oauth/usage', '/oauth/token', 'private addresses'])
      expect(text).toContain(named);
  }
});
