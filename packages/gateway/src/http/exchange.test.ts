import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { HttpReply } from './exchange.ts';

/** Far more than the kernel buffers for a connection. */
const LARGE = 'x'.repeat(24 * 1024 * 1024);
const SLOW_READER_MS = 200;

let server: Server;
let caller: Socket | undefined;
afterEach(() => {
  caller?.destroy();
  server.closeAllConnections();
  server.close();
});

/** A server that answers everything with `answer`, and its end of the connections. */
async function serve(answer: (reply: HttpReply) => void): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  server = createServer((_request, response) => answer(new HttpReply(response, () => false, SLOW_READER_MS)));
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, sockets };
}

const WAYS: readonly [string, (reply: HttpReply) => void][] = [
  ['a whole answer', (reply) => reply.answer(200, [], LARGE)],
  [
    'the rest of a stream',
    (reply) => {
      reply.open(200, []);
      reply.write(LARGE);
      reply.finish();
    },
  ],
];

test.each(WAYS)('%s that is not read is dropped after the slow-reader timeout', async (_what, answer) => {
  const { port, sockets } = await serve(answer);
  caller = connect(port, '127.0.0.1').on('error', () => undefined);
  caller.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  await vi.waitFor(() => expect(sockets[0]?.destroyed).toBe(true), { timeout: 10_000 });
});

test.each(WAYS)('%s that is read in time arrives complete', async (_what, answer) => {
  const { port, sockets } = await serve(answer);
  const asked = request({ port, agent: false });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let length = 0;
  for await (const piece of response) length += (piece as Buffer).length;
  expect(length).toBe(LARGE.length);
  expect(sockets).toHaveLength(1);
});
