/** Listeners: opened at an address, and told by it. */
import { once } from 'node:events';
import type { Server } from 'node:http';

/** Connections that may wait to be taken; the kernel's `somaxconn` bounds it further. Beyond it callers wait for seconds. */
const BACKLOG = 4096;

export async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  server.listen({ port, host, backlog: BACKLOG });
  await once(server, 'listening');
}

export function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
