import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createAdminPlane, createMembersPlane, type MountedApi } from './admin-plane.ts';
import { connectionsOf } from './connections.fixture.ts';
import type { Connections } from './connections.ts';
import type { ListenerBounds } from './listener.ts';

const BOUNDS = {
  limits: { headerBytes: 16_384, headerCount: 100, connections: 100 },
  timeouts: { headersMs: 10_000, requestMs: 10_000, keepAliveMs: 1000 },
};

/** What a caller gets from a console that fails after `begin`. */
async function answerOf(begin: (response: ServerResponse) => void): Promise<{ status: number; text: string }> {
  const server = createAdminPlane({
    connections: connectionsOf(),
    bounds: BOUNDS,
    unready: () => undefined,
    metrics: { contentType: 'text/plain', render: async () => '' },
    api: {
      mounts: [],
      handle: () => undefined,
      followLink: () => false,
      console: () => async (_request, response) => {
        begin(response);
        throw new Error('the file cannot be read');
      },
    },
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/console/`);
    return { status: answer.status, text: await answer.text() };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a page that fails before its head is a 500', async () => {
  expect(await answerOf(() => undefined)).toEqual({ status: 500, text: 'failed\n' });
});

test('a page that fails after its head is cut off, without a second head', async () => {
  const begin = (response: ServerResponse): void =>
    void response.writeHead(200, { 'content-length': 10 }).write('half');
  await expect(answerOf(begin)).rejects.toThrow('terminated');
});

type Plane = (bounds: ListenerBounds, connections: Connections, api: MountedApi) => Server;
const METRICS = { contentType: 'text/plain', render: async () => '' };
const PLANES: readonly (readonly [string, Plane])[] = [
  ['operator', (bounds, connections, api) => createAdminPlane({ bounds, connections, api, unready, metrics: METRICS })],
  ['members', createMembersPlane],
];
const unready = (): undefined => undefined;

describe.each(PLANES)('a late head at the listener of the %s', (_, plane) => {
  const get = (url: string): string => `GET ${url} HTTP/1.1\r\nhost: x\r\n\r\n`;

  /** Requests below `/api` wait for `answer`. */
  async function listen() {
    const begun: { readonly request: IncomingMessage; readonly response: ServerResponse }[] = [];
    const connections = connectionsOf();
    const api: MountedApi = {
      mounts: ['/api'],
      handle: (request, response) => void begun.push({ request, response }),
      followLink: () => false,
      console: () => undefined,
    };
    const server = plane({ ...BOUNDS, timeouts: { ...BOUNDS.timeouts, headersMs: 20 } }, connections, api);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let received = '';
    socket.setEncoding('latin1').on('data', (text) => {
      received += text;
    });
    const until = async (isSo: () => boolean): Promise<void> => {
      while (!isSo() && !socket.destroyed) await new Promise((resolve) => setImmediate(resolve));
    };
    const answer = async (count: number): Promise<void> => {
      await until(() => begun.length === count);
      const last = begun[count - 1];
      last?.response.end(`<${last.request.url}>`);
    };
    const close = (): void => {
      socket.destroy();
      server.closeAllConnections();
      server.close();
    };
    return { socket, connections, until, answer, close, received: () => received };
  }

  test('is excused if its connection was not read, and its request is served', async () => {
    const { socket, connections, until, answer, close, received } = await listen();
    try {
      const whole = get('/api/c');
      socket.write(get('/api/a') + get('/api/b') + whole.slice(0, 12));
      await until(() => connections.excused.size === 1);
      await answer(1);
      await answer(2);
      socket.write(whole.slice(12));
      await answer(3);
      await until(() => received().includes('</api/c>'));
      expect(received().match(/HTTP\/1\.1 \d+|<.*?>/g)).toEqual(
        ['a', 'b', 'c'].flatMap((name) => ['HTTP/1.1 200', `</api/${name}>`]),
      );
    } finally {
      close();
    }
  });

  test.each([
    ['late', 'GET /api/a', 400],
    ['too large', `GET /api/a HTTP/1.1\r\nx: ${'x'.repeat(20_000)}`, 431],
    ['no HTTP', 'no HTTP\r\n\r\n', 400],
  ])('is refused otherwise, as one that is %s is', async (_why, head, status) => {
    const { socket, until, close, received } = await listen();
    try {
      socket.write(head);
      await until(() => false);
      expect(received()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    } finally {
      close();
    }
  });

  test('that cannot be read is refused after the answer before it, not in place of it', async () => {
    const { socket, until, answer, close, received } = await listen();
    try {
      socket.write(`${get('/api/a')}no HTTP\r\n\r\n`);
      await answer(1);
      await until(() => received().includes('400'));
      expect(received().match(/HTTP\/1\.1 \d+|<.*?>/g)).toEqual(['HTTP/1.1 200', '</api/a>', 'HTTP/1.1 400']);
    } finally {
      close();
    }
  });
});
