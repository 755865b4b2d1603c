import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { faultOf } from '@trivium/protocol/canonical';
import { DEFAULT_JSON_BOUNDS } from '@trivium/protocol/framing';
import { expect, test } from 'vitest';
import type { Timed } from '../kernel/timeouts.ts';
import { JsonBody, readBody } from './body.ts';

test('the body of a caller who left before it is read fails at once, and not after the time for slow senders', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nbegun');
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  socket.destroy();
  await once(response, 'close');
  const watched = new Set<Timed>();
  const read = readBody(
    {
      request,
      invite: () => undefined,
      declaredBytes: 100,
      bounds: { maxBytes: 1000, graceMs: 30_000, bytesPerSecond: 1 },
      timeouts: { watch: (one: Timed) => watched.add(one), unwatch: (one: Timed) => watched.delete(one) } as never,
      room: { reserve: () => undefined },
    },
    new JsonBody(DEFAULT_JSON_BOUNDS, 100),
  );
  const end = await Promise.race([
    read.then(
      () => 'whole',
      (error: unknown) => faultOf(error).kind,
    ),
    new Promise((resolve) => setImmediate(() => setImmediate(resolve, 'pending'))),
  ]);
  expect(end).toBe('cancelled');
  expect(watched.size).toBe(0);
  server.close();
});
