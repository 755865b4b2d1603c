import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { faultOf } from '@trivium/protocol/canonical';
import { afterEach, expect, test } from 'vitest';
import { LoopBudget } from '../kernel/loop-budget.ts';
import type { Timed, Timeouts } from '../kernel/timeouts.ts';
import { readBody } from './body.ts';
import type { BodyReader } from './body-reader.ts';
import { connectionsOf } from './connections.fixture.ts';
import type { Connections } from './connections.ts';
import { boundaryOf } from './form-parts.ts';
import { FormBody } from './read-form.ts';
import { refuse } from './refuse.ts';

const PIECES = 350_000;
const HEAD = 'POST / HTTP/1.1\r\nhost: x\r\n';
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function open(serve: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  const server = createServer(serve).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** All that comes back before the connection closes. */
async function exchange(port: number, wire: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  socket.write(wire);
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

class CountingReader implements BodyReader<number> {
  pieces = 0;
  bytes = 0;
  take(chunk: Buffer): void {
    this.pieces++;
    this.bytes += chunk.length;
  }
  end(): number {
    return this.pieces;
  }
}

const unwatched: Timeouts = { watch: () => undefined, unwatch: () => undefined } as never;

const arrivalOf = (request: IncomingMessage, metering: Connections, timeouts = unwatched) => ({
  request,
  invite: () => undefined,
  declaredBytes: undefined,
  bounds: { maxBytes: 64_000_000, graceMs: 1000, bytesPerSecond: 1_000_000 },
  timeouts,
  room: { accountId: 'a', reserve: () => undefined },
  metering,
});

/** Sends the body; the answer says what became of it. */
async function read(metering: Connections, wire: string, reader: BodyReader<unknown>): Promise<string> {
  const port = await open((request, response) => {
    const answer = (text: string): void => {
      const headers = ['content-length', String(text.length)];
      refuse(request, response, { status: 400, headers, text }, metering);
    };
    readBody(arrivalOf(request, metering), reader).then(
      (whole) => {
        response.shouldKeepAlive = false;
        response.end(JSON.stringify(whole));
      },
      (error: unknown) => answer(`${faultOf(error).kind}: ${faultOf(error).message}`),
    );
  });
  return exchange(port, wire);
}

test('a refused body in one-byte pieces is cut after few of them, and its sender can read the refusal', async () => {
  const connections = connectionsOf();
  let readBytes = 0;
  const port = await open((request, response) => {
    request.socket.once('close', () => {
      readBytes = request.socket.bytesRead;
    });
    refuse(request, response, { status: 401, headers: ['content-length', '2'], text: 'no' }, connections);
  });
  const received = await exchange(port, `${CHUNKED}${'1\r\nx\r\n'.repeat(PIECES)}0\r\n\r\n`);
  expect(received).toMatch(/^HTTP\/1\.1 401 .*no$/s);
  expect(connections.cuts.get('pieces')).toBe(1);
  // Two reads of a socket, of 2.1 MB that were sent.
  expect(readBytes).toBeLessThanOrEqual(2 * 65_536);
});

test('a body in one-byte pieces is refused with 400 after as many as the setting says, and is not read further', async () => {
  const connections = connectionsOf();
  const reader = new CountingReader();
  const received = await read(connections, `${CHUNKED}${'1\r\nx\r\n'.repeat(PIECES)}0\r\n\r\n`, reader);
  expect(received).toMatch(/^HTTP\/1\.1 400 /);
  expect(received).toMatch(/connection: close/i);
  expect(received).toContain('fewer than 64 bytes on average (limits.pieceBytes)');
  expect(reader.pieces).toBeLessThan(1024);
  expect(connections.cuts.get('pieces')).toBeGreaterThan(0);
});

test('a form in one-byte pieces is refused the same way', async () => {
  const type = 'multipart/form-data; boundary=b';
  expect(boundaryOf(type)).toBe('b');
  const form = `--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n${'x'.repeat(20_000)}\r\n--b--\r\n`;
  const wire = `${CHUNKED}${Array.from(form, (letter) => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`;
  expect(await read(connectionsOf(), wire, new FormBody(type))).toContain('limits.pieceBytes');
  expect(await read(connectionsOf({ pieceBytes: 1 }), wire, new FormBody(type))).toContain('200 OK');
});

test('a body with more around it than in it is refused', async () => {
  const padded = `10;${'p'.repeat(200)}\r\n${'x'.repeat(16)}\r\n`.repeat(3000);
  const received = await read(connectionsOf(), `${CHUNKED}${padded}0\r\n\r\n`, new CountingReader());
  expect(received).toContain('more than 8 bytes on the connection for each byte of its body (limits.wireRatio)');
  const free = connectionsOf({ wireRatio: 1_000_000, pieceBytes: 1 });
  expect(await read(free, `${CHUNKED}${padded}0\r\n\r\n`, new CountingReader())).toContain('200 OK');
});

test('pieces as real clients send them are never refused, and each bound can be switched off', async () => {
  const pieces = `50\r\n${'x'.repeat(80)}\r\n`.repeat(2000);
  expect(
    await read(connectionsOf({ pieceCount: 100 }), `${CHUNKED}${pieces}0\r\n\r\n`, new CountingReader()),
  ).toContain('200 OK');
  const tiny = `${CHUNKED}${'1\r\nx\r\n'.repeat(20_000)}0\r\n\r\n`;
  const free = connectionsOf({ pieceCount: 1_000_000, pieceBytes: 1, wireRatio: 1_000_000 });
  const reader = new CountingReader();
  expect(await read(free, tiny, reader)).toContain('200 OK');
  expect(reader.bytes).toBe(20_000);
  // Tiny pieces are passed on together.
  expect(reader.pieces).toBeLessThan(1000);
});

test('a body waits for a later turn of the loop, and its sender is not late for that time', async () => {
  const turns: (() => void)[] = [];
  const loop = new LoopBudget(
    () => ({ turnBytes: 100_000, turnEvents: 1 }),
    (run) => void turns.push(run),
  );
  const connections = connectionsOf({}, { loop });
  const watched = new Set<Timed>();
  const timeouts: Timeouts = {
    watch: (one: Timed) => watched.add(one),
    unwatch: (one: Timed) => watched.delete(one),
  } as never;
  const reader = new CountingReader();
  let body: Promise<unknown> | undefined;
  const port = await open((request, response) => {
    body = readBody(arrivalOf(request, connections, timeouts), reader);
    body.then((whole) => {
      response.shouldKeepAlive = false;
      response.end(String(whole));
    });
  });
  const sent = exchange(port, `${HEAD}content-length: 4000000\r\n\r\n${'x'.repeat(4_000_000)}`);
  let waits = 0;
  while (watched.size > 0 || reader.pieces === 0) {
    await new Promise((resolve) => setImmediate(resolve));
    if (loop.waited > waits) {
      waits = loop.waited;
      // Long beyond the grace period and the least rate.
      for (const one of watched) one.tick(waits * 100_000);
    }
    turns.shift()?.();
  }
  await body;
  expect(await sent).toContain(String(reader.pieces));
  expect(loop.waited).toBeGreaterThan(3);
});
