import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { type Fault, faultOf } from '@trivium/protocol/canonical';
import { DEFAULT_JSON_BOUNDS } from '@trivium/protocol/framing';
import { expect, test } from 'vitest';
import type { Timed, Timeouts } from '../kernel/timeouts.ts';
import { JsonBody, readBody } from './body.ts';
import { connectionsOf } from './connections.fixture.ts';

const watchedBy = (watched: Set<Timed>): Timeouts =>
  ({ watch: (one: Timed) => watched.add(one), unwatch: (one: Timed) => watched.delete(one) }) as never;

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
      timeouts: watchedBy(watched),
      room: { accountId: 'a', reserve: () => undefined },
      metering: connectionsOf(),
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

/** A body of unknown length, in these pieces; `budget` is how many bytes may be reserved for it. */
async function arriving(pieces: readonly string[], { maxBytes = 1_000_000, budget = 1_000_000 } = {}) {
  const watched = new Set<Timed>();
  const reserved: number[] = [];
  const request = Object.assign(new PassThrough(), { headers: {}, socket: { bytesRead: 0 } });
  const read = readBody(
    {
      request: request as unknown as IncomingMessage,
      invite: () => undefined,
      declaredBytes: undefined,
      bounds: { maxBytes, graceMs: 30_000, bytesPerSecond: 1 },
      timeouts: watchedBy(watched),
      room: {
        accountId: 'a',
        reserve: (bytes) => {
          reserved.push(bytes);
          return reserved.reduce((sum, one) => sum + one) > budget ? NO_MEMORY : undefined;
        },
      },
      metering: connectionsOf(),
    },
    new JsonBody(DEFAULT_JSON_BOUNDS, undefined),
  );
  for (const piece of pieces) request.write(piece);
  request.end();
  const result = await read.then(({ text }) => text, faultOf);
  expect(watched.size).toBe(0);
  return { result, reserved };
}
const NO_MEMORY: Fault = { kind: 'overloaded', message: 'No memory is left for request bodies.' };

test('a body of unknown length is refused once it is longer than the limit, and not before', async () => {
  expect((await arriving(['"12345', '678"'], { maxBytes: 10 })).result).toBe('"12345678"');
  expect((await arriving(['"12345', '6789"'], { maxBytes: 10 })).result).toMatchObject({
    kind: 'too-large',
    message: 'The request body is larger than 10 bytes.',
  });
});

test('memory for a body of unknown length is reserved as it arrives, and the body is refused where there is none', async () => {
  const pieces = ['"', 'x'.repeat(65_534), '"'];
  expect(await arriving(pieces, { budget: 65_536 })).toEqual({ result: pieces.join(''), reserved: [0, 65_536] });
  expect(await arriving([...pieces, ' '], { budget: 65_536 })).toEqual({
    result: NO_MEMORY,
    reserved: [0, 65_536, 65_536],
  });
});
