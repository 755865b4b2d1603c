/** A TCP proxy that adds latency: every byte is delayed by a fixed time in each direction, in order. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Stage } from './stage.ts';

/** A URL for the same server with `oneWayMs` of latency in each direction. */
export async function atDistance(stage: Stage, url: string, oneWayMs: number): Promise<string> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.once('close', () => sockets.delete(socket));
    }
    carry(near, far, oneWayMs);
    carry(far, near, oneWayMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stage.atEnd(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const distant = new URL(url);
  distant.port = String((server.address() as AddressInfo).port);
  return distant.href;
}

/** Timers of one length run in the order they were set, so bytes cannot overtake each other. */
function carry(from: Socket, to: Socket, oneWayMs: number): void {
  const later = (work: () => void): void => void setTimeout(work, oneWayMs);
  from.on('data', (bytes) => later(() => to.writable && to.write(bytes)));
  from.on('end', () => later(() => to.end()));
  from.on('error', () => undefined);
  from.on('close', () => later(() => to.destroy()));
}
