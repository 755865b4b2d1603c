/**
 * A program: the floor. A server of `node:http` with nothing behind it that gets rid of an attacker at the first moment it can: at the
 * head of its first request (`first`), or once the 401 is written (`401`). Only the prober is answered. What it cannot do, no gateway on
 * Node can.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const REFUSAL = 'HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';
const [when = 'first'] = process.argv.slice(2);

const server = createServer((request, response) => {
  if (request.headers['x-prober'] !== undefined) return void response.end('ok');
  const { socket } = request;
  if (when === 'first') socket.destroy();
  else socket.write(REFUSAL, () => socket.destroy());
});
await once(server.listen(0, '127.0.0.1'), 'listening');
process.send?.({ port: (server.address() as AddressInfo).port });
