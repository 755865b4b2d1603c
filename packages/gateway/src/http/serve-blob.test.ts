import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { faultOf } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import { rangeIn, serveBlob } from './serve-blob.ts';

test.each([
  ['bytes=0-4', { first: 0, last: 4 }],
  ['bytes=5-', { first: 5, last: 9 }],
  ['bytes=5-99', { first: 5, last: 9 }],
  ['bytes=-3', { first: 7, last: 9 }],
  ['bytes=-99', { first: 0, last: 9 }],
  ['bytes=9-9', { first: 9, last: 9 }],
  ['bytes=10-', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=-', 'all'],
  ['bytes=4-2', 'all'],
  ['bytes=0-1,3-4', 'all'],
  ['items=0-4', 'all'],
  ['bytes=1e1-', 'all'],
])('%s of ten bytes', (text, expected) => {
  expect(rangeIn(text, 10)).toEqual(expected);
});

/** How serving ends, for a blob whose store never ends. */
async function endOf(
  meanwhile: (content: Readable, answer: IncomingMessage) => void,
  opened: (response: ServerResponse) => Promise<unknown> = async () => undefined,
): Promise<string> {
  const content = new Readable({ read: () => undefined });
  content.push('begun');
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const served = new Promise<string>((resolve) => {
    server.on('request', (request, response) => {
      const blob = {
        id: 'b',
        contentType: 'video/mp4',
        bytes: 10,
        sha256: 'x',
        expiresAtMs: 1,
        open: async () => {
          await opened(response);
          return content;
        },
      };
      serveBlob(request, response, blob, { headers: [], slowReaderMs: 60_000, nowMs: 0 }).then(
        () => resolve('whole'),
        (error: unknown) => resolve(faultOf(error).kind),
      );
    });
  });
  const asked = get({ port: (server.address() as AddressInfo).port });
  asked.on('error', () => undefined);
  asked.once('response', async (answer) => {
    answer.on('error', () => undefined);
    await once(answer, 'data');
    meanwhile(content, answer);
  });
  const end = await served;
  server.closeAllConnections();
  server.close();
  return end;
}

test('S11: a caller who disconnects while reading is not an internal error, and a store that breaks off is', async () => {
  expect(await endOf((_content, answer) => answer.destroy())).toBe('cancelled');
  expect(await endOf((content) => content.destroy(new Error('disk')))).toBe('internal');
});

test('S11: a caller who disconnects before the store has opened the result is not an internal error', async () => {
  const leave = async (response: ServerResponse): Promise<void> => {
    const left = once(response, 'close');
    response.socket?.destroy();
    await left;
  };
  expect(await endOf(() => undefined, leave)).toBe('cancelled');
});
