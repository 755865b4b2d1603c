import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { LongStrings } from '../kernel/long-strings.ts';
import { SocketUpstream } from './socket-upstream.ts';
import { UndiciUpstream } from './undici-upstream.ts';
import type { UpstreamClient } from './upstream-client.ts';

describe.each([
  ['undici', UndiciUpstream],
  ['our own client', SocketUpstream],
])('%s', (_name, Client) => {
  let server: Server;
  let upstream: UpstreamClient;
  afterEach(async () => {
    await upstream.close();
    server.closeAllConnections();
    server.close();
  });

  async function open(listener: RequestListener): Promise<string> {
    server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    upstream = new Client({ connectionsPerOrigin: 2, connectMs: 1000, keepAliveMs: 1000, ca: [] });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  type Seen = { events: string[]; text: string; faults: string[]; how?: string | undefined };
  function listen(
    origin: string,
    onText?: () => void,
    newConnection?: true,
  ): { seen: Seen; exchange: ReturnType<UpstreamClient['send']> } {
    const seen: Seen = { events: [], text: '', faults: [] };
    const exchange = upstream.send(
      {
        origin,
        path: '/',
        headers: ['content-type', 'application/json'],
        body: '{}',
        ...(newConnection && { newConnection }),
      },
      {
        onHead: (status, header) => seen.events.push(`head ${status} ${header('x-name')}`),
        onText: (piece) => {
          seen.text += piece;
          onText?.();
        },
        onEnd: () => seen.events.push('end'),
        onFail: ({ kind }, _cause, how) => {
          seen.faults.push(kind);
          seen.how = how;
        },
      },
    );
    return { seen, exchange };
  }

  test('head, text and end arrive in order, and nothing stays open', async () => {
    const origin = await open((_request, response) => response.writeHead(201, { 'x-name': 'v' }).end('héllo'));
    const { seen } = listen(origin);
    expect(upstream.open).toBe(1);
    await vi.waitFor(() => expect(seen.events).toEqual(['head 201 v', 'end']));
    expect(seen.text).toBe('héllo');
    expect(upstream.open).toBe(0);
  });

  test('redirects are not followed', async () => {
    let requests = 0;
    const origin = await open((_request, response) => {
      requests++;
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const { seen } = listen(origin);
    await vi.waitFor(() => expect(seen.events).toContain('end'));
    expect(requests).toBe(1);
    expect(seen.events[0]).toBe('head 302 undefined');
  });

  test('a listener that throws ends its own exchange and gets one failure', async () => {
    const origin = await open((_request, response) => response.write('a'));
    const { seen } = listen(origin, () => {
      throw new Error('ours');
    });
    await vi.waitFor(() => expect(seen.faults).toEqual(['internal']));
    expect(upstream.open).toBe(0);
  });

  test('after an abort the listener is not called any more, before or after the connection is established', async () => {
    const origin = await open((_request, response) => response.write('a'));
    const early = listen(origin);
    early.exchange.abort();
    const late = listen(origin);
    await vi.waitFor(() => expect(late.seen.text).toBe('a'));
    late.exchange.abort();
    late.exchange.abort();
    late.exchange.resume();
    expect(upstream.open).toBe(0);
    expect(early.seen).toEqual({ events: [], text: '', faults: [] });
    expect(late.seen.faults).toEqual([]);
  });

  test('a drained answer that ends keeps its connection, and its listener is not called any more', async () => {
    const sockets = new Set<object>();
    const endings: (() => void)[] = [];
    const origin = await open((request, response) => {
      sockets.add(request.socket);
      response.write('last');
      endings.push(() => response.end('more'));
    });
    for (const round of [0, 1, 2]) {
      const { seen, exchange } = listen(origin);
      await vi.waitFor(() => expect(seen.text).toBe('last'));
      exchange.pause();
      exchange.drain();
      expect(upstream.open).toBe(1);
      endings[round]?.();
      await vi.waitFor(() => expect(upstream.open).toBe(0));
      expect(seen).toEqual({ events: ['head 200 undefined'], text: 'last', faults: [] });
    }
    expect(sockets.size).toBe(1);
  });

  test('a drained answer that is kept open is closed, at once if much follows', async () => {
    const closed: boolean[] = [];
    const origin = await open((_request, response) => {
      const number = closed.push(false) - 1;
      response.on('close', () => {
        closed[number] = true;
      });
      response.write('last');
      if (number === 1) setImmediate(() => response.write('x'.repeat(200_000)));
    });
    const silent = listen(origin);
    await vi.waitFor(() => expect(silent.seen.text).toBe('last'));
    silent.exchange.drain();
    const loud = listen(origin);
    loud.exchange.drain();
    await vi.waitFor(() => expect(closed).toEqual([false, true]));
    await vi.waitFor(() => expect(closed).toEqual([true, true]), { timeout: 5000 });
    expect(upstream.open).toBe(0);
    expect([...silent.seen.faults, ...loud.seen.faults]).toEqual([]);
  });

  test('a broken and a refused connection are distinguished', async () => {
    const origin = await open((request) => request.socket.destroy());
    const broken = listen(origin);
    await vi.waitFor(() => expect(broken.seen.faults).toEqual(['upstream-broken']));
    const refused = listen('http://127.0.0.1:1');
    await vi.waitFor(() => expect(refused.seen.faults).toEqual(['upstream-overloaded']));
    expect(upstream.open).toBe(0);
  });

  test('a request that cannot be sent is not counted as open', async () => {
    const origin = await open((_request, response) => response.end());
    const listener = { onHead: () => {}, onText: () => {}, onEnd: () => {}, onFail: () => {} };
    try {
      upstream.send({ origin, path: 'no slash', headers: ['bad name', 'x'], body: '' }, listener);
    } catch {
      // undici either throws or reports a failure.
    }
    await vi.waitFor(() => expect(upstream.open).toBe(0));
  });

  test.each(['destroy', 'resetAndDestroy'] as const)(
    'a stale connection that dies (%s) before it answers is distinguished from a new one, and can be avoided',
    async (end) => {
      const seenSockets = new WeakSet<object>();
      let dies = false;
      const origin = await open((request, response) => {
        request.resume();
        const isKept = seenSockets.has(request.socket);
        seenSockets.add(request.socket);
        if (isKept || dies) request.socket[end]();
        else response.end('fine');
      });
      const first = listen(origin);
      await vi.waitFor(() => expect(first.seen.events).toContain('end'));
      const kept = listen(origin);
      await vi.waitFor(() => expect(kept.seen.faults).toEqual(['upstream-broken']));
      expect(kept.seen.how).toBe('lapsed');
      const again = listen(origin);
      await vi.waitFor(() => expect(again.seen.events).toContain('end'));
      // There is an idle connection again; this request must not use it.
      const newConnection = listen(origin, undefined, true);
      await vi.waitFor(() => expect(newConnection.seen.events).toContain('end'));
      dies = true;
      const fresh = listen(origin, undefined, true);
      await vi.waitFor(() => expect(fresh.seen.faults).toEqual(['upstream-broken']));
      expect(fresh.seen.how).toBeUndefined();
      expect(upstream.open).toBe(0);
    },
  );

  test('nothing was sent to an unreachable host', async () => {
    const origin = await open(() => undefined);
    server.close();
    await once(server, 'close');
    const { seen } = listen(origin);
    await vi.waitFor(() => expect(seen.faults).toEqual(['upstream-overloaded']));
    expect(seen.how).toBe('unsent');
  });

  test('extracted strings are sent as bytes, and released after that', async () => {
    const bodies: string[] = [];
    const origin = await open(async (request, response) => {
      bodies.push(`${request.headers['content-length']} ${await new Response(Readable.toWeb(request)).text()}`);
      response.end('{}');
    });
    let held = 0;
    const longStrings: LongStrings = {
      count: 1,
      isIn: () => true,
      restore: (text) => text,
      bytesOf: (text) => text.split('MARK').map((part) => Buffer.from(`${part}é`)),
      hold: () => held++,
      release: () => held--,
    };
    const request = { origin, path: '/', headers: ['content-type', 'application/json'], body: 'aMARKb', longStrings };
    await new Promise<void>((resolve, reject) => {
      upstream.send(request, { onHead: () => {}, onText: () => {}, onEnd: resolve, onFail: reject });
    });
    expect(bodies).toEqual(['6 aébé']);
    expect(held).toBe(0);
  });
});
