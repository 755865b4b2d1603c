import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { LoopBudget } from '../kernel/loop-budget.ts';
import { connectionsOf } from './connections.fixture.ts';
import type { Connections } from './connections.ts';
import { READ_ON_COST_BYTES } from './held-requests.ts';
import { createListener, DISCARDED_BYTES } from './listener.ts';

const BOUNDS = {
  limits: { headerBytes: 16_384, headerCount: 100, connections: 100 },
  timeouts: { headersMs: 60_000, requestMs: 60_000, keepAliveMs: 60_000 },
};

type Begun = { readonly request: IncomingMessage; readonly response: ServerResponse };

const open: { readonly server: Server; readonly socket: Socket }[] = [];
afterEach(() => {
  for (const { server, socket } of open.splice(0)) {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  }
});

/** Requests that were begun wait for `answer`. */
async function listen(connections: Connections = connectionsOf(), headersMs = 60_000) {
  const begun: Begun[] = [];
  const bounds = { ...BOUNDS, timeouts: { ...BOUNDS.timeouts, headersMs } };
  const server = createListener(bounds, (request, response) => void begun.push({ request, response }), connections);
  // As on the data plane, where an error is sent behind the answers before it.
  server.on('clientError', (error: Error & { readonly code?: string }, late: Socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && !connections.excuses(late)) late.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  open.push({ server, socket });
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  const [connection] = (await once(server, 'connection')) as [Socket];
  return { begun, socket, connection, answers: () => [...received.matchAll(/<(.*?)>/g)].map(([, url]) => url) };
}

const get = (url: string, more = ''): string => `GET ${url} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
const answer = ({ request, response }: Begun): void => void response.end(`<${request.url}>`);
const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await turns(1);
};

test('requests before earlier answers ended wait one by one, and every answer comes in its order', async () => {
  const { begun, socket, answers } = await listen();
  const urls = Array.from({ length: 50 }, (_, at) => `/${at}`);
  socket.write(urls.map((url) => get(url)).join(''));
  for (let count = 1; count <= urls.length; count++) {
    await until(() => begun.length === count);
    await turns(3);
    expect(begun.length).toBe(count);
    answer(begun[count - 1]!);
  }
  await until(() => answers().length === urls.length);
  expect(answers()).toEqual(urls);
});

test('a connection with requests that wait is not read, and is read again when none is left', async () => {
  const { begun, socket, connection, answers } = await listen();
  socket.write(get('/a') + get('/b'));
  await until(() => begun.length === 1 && connection.isPaused());
  const before = connection.bytesRead;
  socket.write(get('/c').repeat(3));
  await turns();
  expect(connection.bytesRead).toBe(before);
  expect(begun.length).toBe(1);
  for (let count = 1; count <= 5; count++) {
    await until(() => begun.length === count);
    answer(begun[count - 1]!);
  }
  await until(() => answers().length === 5);
  expect(answers()).toEqual(['/a', '/b', '/c', '/c', '/c']);
});

describe('a head that is late because its connection is not read', () => {
  const later: (() => void)[] = [];
  const waiting = async () => {
    const connections = connectionsOf({}, { after: (_ms, run) => void later.push(run) });
    const stage = await listen(connections, 20);
    const whole = get('/c');
    stage.socket.write(get('/a') + get('/b') + whole.slice(0, 12));
    await until(() => connections.excused.size === 1);
    answer(stage.begun[0]!);
    await until(() => stage.begun.length === 2);
    answer(stage.begun[1]!);
    return { ...stage, connections, rest: whole.slice(12) };
  };

  test('is excused, and its request is served', async () => {
    const { begun, socket, connections, rest, answers } = await waiting();
    socket.write(rest);
    await until(() => begun.length === 3);
    answer(begun[2]!);
    await until(() => answers().length === 3);
    expect(answers()).toEqual(['/a', '/b', '/c']);
    expect(connections.excused.size).toBe(0);
    for (const run of later.splice(0)) run();
    expect(socket.destroyed).toBe(false);
  });

  test('is waited for once more, and no longer', async () => {
    const { connection } = await waiting();
    expect(connection.destroyed).toBe(false);
    await until(() => later.length === 1);
    for (const run of later.splice(0)) run();
    expect(connection.destroyed).toBe(true);
  });
});

test('a body of a request that waited is read when it is served', async () => {
  const { begun, socket, answers } = await listen();
  const body = 'x'.repeat(300_000);
  socket.write(`${get('/a')}POST /b HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}${get('/c')}`);
  await until(() => begun.length === 1);
  answer(begun[0]!);
  await until(() => begun.length === 2);
  let length = 0;
  begun[1]!.request.on('data', (chunk: Buffer) => {
    length += chunk.length;
  });
  await once(begun[1]!.request, 'end');
  expect(length).toBe(body.length);
  answer(begun[1]!);
  await until(() => begun.length === 3);
  answer(begun[2]!);
  await until(() => answers().length === 3);
});

test('an upgrade among them is answered in its turn, as are those behind it', async () => {
  const { begun, socket, answers } = await listen();
  socket.write(get('/a') + get('/b') + get('/c', 'connection: upgrade\r\nupgrade: h2c\r\n') + get('/d') + get('/e'));
  for (let count = 1; count <= 5; count++) {
    await until(() => begun.length === count);
    answer(begun[count - 1]!);
  }
  await until(() => answers().length === 5);
  expect(answers()).toEqual(['/a', '/b', '/c', '/d', '/e']);
});

test('what waits on a connection that closes is never begun', async () => {
  const { begun, socket, connection } = await listen();
  socket.write(get('/a') + get('/b') + get('/c'));
  await until(() => begun.length === 1);
  connection.destroy();
  await once(connection, 'close');
  await turns();
  expect(begun.length).toBe(1);
});

test('nothing behind a request that closes its connection is begun', async () => {
  const { begun, socket, connection, answers } = await listen();
  socket.write(get('/a', 'connection: close\r\n') + get('/b'));
  await until(() => begun.length === 1);
  answer(begun[0]!);
  await until(() => connection.destroyed);
  await until(() => answers().length === 1);
  expect(begun.length).toBe(1);
});

test('the bound can be switched off', async () => {
  const { begun, socket } = await listen(connectionsOf({ pipelined: 1_000_000 }));
  socket.write(get('/a').repeat(100));
  await until(() => begun.length === 100);
  expect(begun.filter(({ response }) => response.writableEnded)).toEqual([]);
});

test('a long body that is not needed for the answer is not read to its end', async () => {
  const { begun, socket, connection, answers } = await listen();
  socket.on('error', () => undefined);
  socket.write('GET /a HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n');
  await until(() => begun.length === 1);
  answer(begun[0]!);
  await until(() => connection.destroyed);
  expect(answers()).toEqual(['/a']);
});

test('connections that open together and send floods of requests are parsed in several turns of the loop', async () => {
  const loop = new LoopBudget(() => ({ turnBytes: READ_ON_COST_BYTES, turnEvents: 1000 }), setImmediate);
  const { begun, socket } = await listen(connectionsOf({}, { loop }));
  const { server } = open[0]!;
  const parsed: Socket[][] = [];
  const turn: Socket[] = [];
  server.on('request', ({ socket: own }: IncomingMessage) => {
    if (turn.length === 0) setImmediate(() => parsed.push(turn.splice(0)));
    if (!turn.includes(own)) turn.push(own);
  });
  let accepted = 0;
  server.on('connection', () => accepted++);
  const others = Array.from({ length: 8 }, () => connect((server.address() as AddressInfo).port, '127.0.0.1'));
  for (const other of others) open.push({ server, socket: other });
  await until(() => accepted === others.length);
  for (const client of [socket, ...others]) client.write(get('/a') + get('/b') + get('/c'));
  await until(() => begun.length === 9);
  await turns(3);
  expect(Math.max(...parsed.map(({ length }) => length))).toBeLessThanOrEqual(2);
});

describe('a body that an answer did not wait for', () => {
  const begin = async (head: string) => {
    const { begun, socket, connection, answers } = await listen();
    socket.write(`POST /first HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n`);
    await until(() => begun.length === 1);
    answer(begun[0]!);
    await until(() => answers().length === 1);
    return { begun, socket, connection, answers };
  };

  test.each([
    ['of unknown length', 'transfer-encoding: chunked'],
    ['longer than is worth discarding', `content-length: ${DISCARDED_BYTES + 1}`],
    // Before the listener's own timeout closes it.
  ])('closes the connection: %s', { timeout: 20_000 }, async (_, head) => {
    const { socket } = await begin(head);
    await once(socket, 'close');
  });

  test('is discarded if it is short, and the next request is answered', async () => {
    const { begun, socket, answers } = await begin(`content-length: ${DISCARDED_BYTES}`);
    socket.write('x'.repeat(DISCARDED_BYTES) + get('/second'));
    await until(() => begun.length === 2);
    answer(begun[1]!);
    await until(() => answers().length === 2);
    expect(answers()).toEqual(['/first', '/second']);
  });
});
