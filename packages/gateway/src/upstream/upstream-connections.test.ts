/** When a connection is reused, when it must not be, and which request waits for one. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { call } from './call.fixture.ts';
import { openRawServer, type RawRequest, type RawServer, reply } from './raw-server.fixture.ts';
import { SocketUpstream } from './socket-upstream.ts';
import { UndiciUpstream } from './undici-upstream.ts';
import type { UpstreamClient, UpstreamOptions } from './upstream-client.ts';

const OPTIONS: UpstreamOptions = { connectionsPerOrigin: 2, connectMs: 5000, keepAliveMs: 60_000, ca: [] };
/** undici opens a second one if a request is sent in the turn in which an answer ends. */
const ONE = { connectionsPerOrigin: 1 };
const POISON = reply('poison');

describe.each([
  ['undici', UndiciUpstream],
  ['our own client', SocketUpstream],
])('%s', (name, Client) => {
  const isOwn = name !== 'undici';
  let server: RawServer;
  let upstream: UpstreamClient;
  afterEach(async () => {
    await upstream.close();
    await server.close();
  });
  async function open(answer: (request: RawRequest) => void, options: Partial<UpstreamOptions> = {}): Promise<string> {
    server = await openRawServer(answer);
    upstream = new Client({ ...OPTIONS, ...options });
    return server.origin;
  }
  const ask = (origin: string) => call(upstream, { origin }).over;

  test('a keep-alive connection carries one request after another', async () => {
    const origin = await open(({ socket, turn }) => socket.write(reply(`answer ${turn}`)), ONE);
    for (const turn of [0, 1, 2, 3]) expect((await ask(origin)).text).toBe(`answer ${turn}`);
    expect(server.connections).toBe(1);
  });

  test('there are no more connections than allowed, and the others wait in order', async () => {
    const origin = await open(() => undefined);
    const calls = [0, 1, 2, 3, 4].map((number) => call(upstream, { origin, path: `/${number}` }));
    const paths = () => server.requests.map(({ text }) => text.slice(5, 7));
    const answer = (index: number) => server.requests[index]?.socket.write(reply('x'));
    // Both connections open at once, so the first two may arrive in either order.
    await vi.waitFor(() => expect(paths().toSorted()).toEqual(['/0', '/1']));
    // A queued request that is aborted is never sent.
    calls[3]?.exchange.abort();
    // One connection stays busy, so the queued requests use the other, one after another.
    answer(1);
    await vi.waitFor(() => expect(paths().slice(2)).toEqual(['/2']));
    answer(2);
    await vi.waitFor(() => expect(paths().slice(2)).toEqual(['/2', '/4']));
    answer(3);
    answer(0);
    for (const number of [0, 1, 2, 4]) expect((await calls[number]?.over)?.text).toBe('x');
    if (isOwn) expect(server.connections).toBe(2);
    expect(server.open).toBe(2);
    expect(upstream.open).toBe(0);
  });

  test('a queued request gets a new connection when the others end', async () => {
    const origin = await open(
      ({ socket, connection }) => {
        if (connection === 0) socket.destroy();
        else socket.write(reply('fine'));
      },
      { connectionsPerOrigin: 1 },
    );
    const first = call(upstream, { origin });
    const second = call(upstream, { origin });
    expect((await first.over).fault).toBe('upstream-broken');
    expect((await second.over).text).toBe('fine');
  });

  test.each([
    ['a whole second answer', POISON],
    ['one byte', 'x'],
    ['an empty line', '\r\n'],
  ])('%s after an answer ends the connection, and reaches no other request', async (_what, extra) => {
    const origin = await open(({ socket, connection }) =>
      socket.write(connection === 0 ? reply('first') + extra : reply('second')),
    );
    expect((await ask(origin)).text).toBe('first');
    expect((await ask(origin)).text).toBe('second');
    if (isOwn) expect(server.connections).toBe(2);
  });

  test('bytes that arrive on an idle connection end it, also if the next request is already there', async () => {
    const origin = await open(({ socket, connection }) => socket.write(reply(`connection ${connection}`)));
    expect((await ask(origin)).text).toBe('connection 0');
    await new Promise(setImmediate);
    // Both in one turn: the bytes are in the client's socket, and have not been read.
    server.sockets[0]?.write(POISON);
    expect((await ask(origin)).text).toBe('connection 1');
    server.sockets[1]?.write(POISON);
    await vi.waitFor(() => expect(server.open).toBe(0));
    expect((await ask(origin)).text).toBe('connection 2');
  });

  test('an idle connection that the upstream closed is not used, also if the next request is already there', async () => {
    const origin = await open(({ socket, connection }) => socket.write(reply(`connection ${connection}`)));
    expect((await ask(origin)).text).toBe('connection 0');
    await new Promise(setImmediate);
    server.sockets[0]?.end();
    expect((await ask(origin)).text).toBe('connection 1');
  });

  test.each([
    ['connection: close', reply('x', 'connection: close\r\n'), 3],
    ['HTTP/1.0', reply('x').replace('1.1', '1.0'), 3],
    ['a keep-alive that is about to end', reply('x', 'keep-alive: timeout=1\r\n'), 3],
    ['a keep-alive that lasts', reply('x', 'Keep-Alive: max=5, timeout=30\r\n'), 1],
    ['a 204 that announces a body', 'HTTP/1.1 204 No Content\r\ncontent-length: 3\r\n\r\n', 3],
    ['a 204', 'HTTP/1.1 204 No Content\r\n\r\n', 1],
    ['a chunked answer', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n', 1],
  ])('%s: three requests', async (_what, answer, connections) => {
    const origin = await open(({ socket }) => socket.write(answer), ONE);
    for (let request = 0; request < 3; request++) expect((await ask(origin)).ended).toBe(true);
    expect(server.connections).toBe(connections);
  });

  test('an idle connection is closed after its keep-alive time', async () => {
    const origin = await open(({ socket }) => socket.write(reply('x')), { keepAliveMs: 20 });
    await ask(origin);
    await vi.waitFor(() => expect(server.open).toBe(0), { timeout: 5000 });
    expect((await ask(origin)).text).toBe('x');
    expect(server.connections).toBe(2);
  });

  test('a call aborted in the middle of its answer closes the connection', async () => {
    const origin = await open(({ socket }) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'));
    const given = call(upstream, { origin });
    await vi.waitFor(() => expect(given.heard.text).toBe('abc'));
    given.exchange.abort();
    await vi.waitFor(() => expect(server.open).toBe(0));
    expect(given.heard.events).toEqual(['head', 'text']);
  });

  test('a call aborted before its connection is established is never sent', async () => {
    const origin = await open(({ socket }) => socket.write(reply('x')), { connectionsPerOrigin: 1 });
    call(upstream, { origin, path: '/given-up' }).exchange.abort();
    expect((await call(upstream, { origin, path: '/wanted' }).over).text).toBe('x');
    expect(server.requests.map(({ text }) => text.split(' ')[1])).toEqual(['/wanted']);
  });

  test('a listener that aborts at the head is not called for the body in the same packet', async () => {
    const origin = await open(({ socket }) => socket.write(reply('body')));
    const heard: string[] = [];
    const exchange = upstream.send(
      { origin, path: '/', headers: [], body: '' },
      {
        onHead: () => {
          heard.push('head');
          exchange.abort();
        },
        onText: () => heard.push('text'),
        onEnd: () => heard.push('end'),
        onFail: () => heard.push('fail'),
      },
    );
    await vi.waitFor(() => expect(heard).toEqual(['head']));
    await vi.waitFor(() => expect(server.open).toBe(0));
    expect(heard).toEqual(['head']);
    expect(upstream.open).toBe(0);
  });

  test('a paused call stops the upstream, and resumes where it was', async () => {
    const body = 'x'.repeat(20_000_000);
    const origin = await open(({ socket, text }) =>
      socket.write(reply(text.startsWith('POST /long') ? body : 'short')),
    );
    let pauses = 0;
    const paused = call(upstream, { origin, path: '/long' }, (exchange) => {
      if (pauses++ === 0) exchange.pause();
    });
    await vi.waitFor(() => expect(pauses).toBe(1));
    // Enough time for all of it, if anything read it.
    for (let others = 0; others < 50; others++) expect((await ask(origin)).text).toBe('short');
    expect(paused.heard.text.length).toBeLessThan(1_000_000);
    paused.exchange.resume();
    expect((await paused.over).text).toBe(body);
    expect((await ask(origin)).text).toBe('short');
    expect(server.connections).toBe(2);
  });

  test.runIf(isOwn)('an answer that arrives before the request was sent completely ends the connection', async () => {
    const origin = await open(({ socket }) => socket.write(reply('next')));
    const early = call(upstream, { origin, body: 'x'.repeat(30_000_000) });
    await vi.waitFor(() => expect(server.connections).toBe(1));
    server.sockets[0]?.pause();
    server.sockets[0]?.write(reply('too much'));
    expect((await early.over).text).toBe('too much');
    expect((await ask(origin)).text).toBe('next');
    expect(server.connections).toBe(2);
  });
});
