/** Tests of what only the gateway's own client does, or does on a socket that it reads itself. */
import { getCACertificates, rootCertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { crc32 } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { call } from './call.fixture.ts';
import { openRawServer, type RawRequest, type RawServer, reply, TEST_CERTIFICATE } from './raw-server.fixture.ts';
import { READ_BUFFER, ResponseParser } from './response-parser.ts';
import { SocketUpstream } from './socket-upstream.ts';

let server: RawServer;
let upstream: SocketUpstream;
afterEach(async () => {
  await upstream.close();
  await server.close();
});

async function open(answer: (request: RawRequest) => void, scheme = 'http', ca = [TEST_CERTIFICATE]): Promise<string> {
  server = await openRawServer(answer, scheme);
  upstream = new SocketUpstream({ connectionsPerOrigin: 4, connectMs: 5000, keepAliveMs: 60_000, ca });
  return server.origin;
}

describe('over TLS', () => {
  test('requests and long answers pass over one keep-alive connection with HTTP/1.1', async () => {
    const body = 'é'.repeat(300_000);
    const origin = await open(({ socket }) => socket.write(reply(body)), 'https');
    for (let requests = 0; requests < 3; requests++)
      expect((await call(upstream, { origin, body: 'ü' }).over).text).toBe(body);
    expect(server.connections).toBe(1);
    expect(server.requests[0]?.text).toMatch(/\r\ncontent-length: 2\r\n\r\n\xc3\xbc$/);
    expect((server.sockets[0] as TLSSocket).alpnProtocol).not.toBe('h2');
  });

  test('an untrusted certificate is refused before anything is sent', async () => {
    const origin = await open(({ socket }) => socket.write(reply('x')), 'https', []);
    const heard = await call(upstream, { origin }).over;
    expect(heard).toMatchObject({ fault: 'upstream-broken', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(server.requests).toEqual([]);
  });

  test('certificate authorities that an operator adds do not replace those of Node', async () => {
    const usual = getCACertificates('default');
    setDefaultCACertificates([TEST_CERTIFICATE]);
    try {
      const origin = await open(({ socket }) => socket.write(reply('x')), 'https', rootCertificates.slice(0, 1));
      expect((await call(upstream, { origin }).over).text).toBe('x');
    } finally {
      setDefaultCACertificates(usual);
    }
  });

  test('a certificate for another name is refused', async () => {
    const origin = await open(({ socket }) => socket.write(reply('x')), 'https');
    const heard = await call(upstream, { origin: origin.replace('localhost', '127.0.0.2') }).over;
    expect(heard).toMatchObject({ fault: 'upstream-broken', code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  test('a new connection resumes the TLS session of an earlier one', async () => {
    const reused: boolean[] = [];
    const origin = await open(({ socket }) => {
      reused.push((socket as TLSSocket).isSessionReused());
      socket.write(reply('x', 'connection: close\r\n'));
    }, 'https');
    for (let requests = 0; requests < 3; requests++) await call(upstream, { origin }).over;
    expect(reused).toEqual([false, true, true]);
  });

  test('a paused call stops the upstream', async () => {
    const body = 'x'.repeat(10_000_000);
    const origin = await open(
      ({ socket, text }) => socket.write(reply(text.startsWith('POST /long') ? body : 'short')),
      'https',
    );
    let pauses = 0;
    const paused = call(upstream, { origin, path: '/long' }, (exchange) => {
      if (pauses++ === 0) exchange.pause();
    });
    await vi.waitFor(() => expect(pauses).toBeGreaterThan(0));
    for (let others = 0; others < 50; others++) await call(upstream, { origin }).over;
    expect(paused.heard.text.length).toBeLessThan(1_000_000);
    paused.exchange.resume();
    expect((await paused.over).text).toBe(body);
  });
});

test('an answer up to the close that ends in a reset is not complete', async () => {
  const origin = await open(({ socket }) => socket.write('HTTP/1.1 200 OK\r\n\r\nhello'));
  const cut = call(upstream, { origin });
  await vi.waitFor(() => expect(cut.heard.text).toBe('hello'));
  server.sockets[0]?.resetAndDestroy();
  expect(await cut.over).toMatchObject({ ended: false, fault: 'upstream-broken', code: 'ECONNRESET' });
});

test('a stale connection is one that answered before and sent no byte for this request', async () => {
  const origin = await open(({ socket, turn, connection }) => {
    if (turn === 0 && connection !== 1) socket.write(reply('x'));
    else {
      // Nothing on the first connection, a part of a head on the others.
      if (connection > 0) socket.write('HTTP/1.1 200 OK\r\nx');
      socket.end();
    }
  });
  expect((await call(upstream, { origin }).over).text).toBe('x');
  expect(await call(upstream, { origin }).over).toMatchObject({ fault: 'upstream-broken', how: 'lapsed' });
  // A new connection that breaks in its first answer.
  expect(await call(upstream, { origin }).over).toMatchObject({ fault: 'upstream-broken', how: undefined });
  expect((await call(upstream, { origin }).over).text).toBe('x');
  // A reused connection that breaks after its answer has begun.
  expect(await call(upstream, { origin }).over).toMatchObject({ fault: 'upstream-broken', how: undefined });
});

test('a request that cannot be written is reported as a connection failure, and nothing is sent', async () => {
  const origin = await open(({ socket }) => socket.write(reply('x')));
  expect(await call(upstream, { origin, headers: ['x', 'a\r\nb: c'] }).over).toMatchObject({
    fault: 'upstream-broken',
  });
  expect(server.connections).toBe(0);
  expect(upstream.open).toBe(0);
});

test('binary events split across reads are intact with other answers in between', async () => {
  const payload = JSON.stringify({ bytes: Buffer.from('{"a":1}').toString('base64') });
  const header = Buffer.from('\x0d:message-type\x07\x00\x05event', 'latin1');
  const start = Buffer.alloc(12);
  start.writeUInt32BE(16 + header.length + payload.length, 0);
  start.writeUInt32BE(header.length, 4);
  start.writeUInt32BE(crc32(start.subarray(0, 8)), 8);
  const message = Buffer.concat([start, header, Buffer.from(payload)]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(message));
  const event = Buffer.concat([message, sum]);
  const origin = await open(({ socket, text }) => {
    if (!text.startsWith('POST /events')) socket.write(reply('y'.repeat(5000)));
    else {
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/vnd.amazon.eventstream\r\ncontent-length: ${event.length * 2}\r\n\r\n`,
      );
      socket.write(event.subarray(0, 30));
    }
  });
  const events = call(upstream, { origin, path: '/events' });
  await vi.waitFor(() => expect(events.heard.status).toBe(200));
  expect((await call(upstream, { origin }).over).text).toHaveLength(5000);
  server.sockets[0]?.write(event.subarray(30));
  server.sockets[0]?.write(event);
  expect((await events.over).text).toBe('data: {"a":1}\n\n'.repeat(2));
});

test('parsing continues with more connections than the initial memory holds', async () => {
  await open(() => undefined);
  const parsers = Array.from({ length: 20_000 }, () => new ResponseParser());
  for (const parser of [parsers[0], parsers.at(-1)]) {
    parser?.begin();
    const length = READ_BUFFER.write(reply('x'), 'latin1');
    parser?.read(length);
    expect(parser).toMatchObject({ isComplete: true, keepsAlive: true, error: undefined });
  }
  for (const parser of parsers) parser.free();
});
