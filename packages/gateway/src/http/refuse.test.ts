import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { connectionsOf } from './connections.fixture.ts';
import { refuse } from './refuse.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('a refused request whose body has arrived is over at once, and not when a period is', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout'] });
  const server = createServer((request, response) =>
    refuse(request, response, { status: 413, headers: ['content-length', '4'], text: 'long' }, connectionsOf()),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const body = 'x'.repeat(100_000);
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n`);
  let answer = '';
  socket.setEncoding('utf8').on('data', (piece) => {
    // The gateway refuses by the head alone; the body comes after its answer.
    if (answer === '') socket.write(body);
    answer += piece;
  });
  await once(socket, 'end');
  expect(answer).toMatch(/^HTTP\/1\.1 413 .*long$/s);
  socket.destroy();
  server.close();
});
