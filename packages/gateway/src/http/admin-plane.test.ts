import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createAdminPlane } from './admin-plane.ts';
import { connectionsOf } from './connections.fixture.ts';

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
