/** Listeners: opened at an address, and told by it. What stands in the way is said in one sentence. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Connections that may wait to be taken; the kernel's `somaxconn` bounds it further. Beyond it callers wait for seconds. */
const BACKLOG = 4096;

export type ListenAddress = { readonly host: string; readonly port: number };

export async function listen(server: Server, { host, port }: ListenAddress): Promise<void> {
  server.listen({ port, host, backlog: BACKLOG });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Error(`cannot listen on ${host}:${port}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Throws when one of them cannot be listened on now. All at once, so that none may be the address of another. */
export async function requireFree(addresses: readonly ListenAddress[]): Promise<void> {
  const servers = addresses.map(() => createServer());
  const tried = await Promise.allSettled(servers.map((server, at) => listen(server, addresses[at] as ListenAddress)));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  for (const outcome of tried) if (outcome.status === 'rejected') throw outcome.reason;
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return 'the port is in use; end the process that has it, or choose another port';
    case 'EACCES':
      return 'this user may not open the port; choose one above 1023, or give the user the right';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this machine does not have the address; choose one it has';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

export function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
