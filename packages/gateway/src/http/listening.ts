/** Opens listeners. If an address cannot be used, the error says why in one sentence. */
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';

/**
 * Connections that may wait to be accepted; the kernel's `somaxconn` bounds it further. Beyond it callers wait for
 * seconds.
 */
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

/**
 * Throws if one of them cannot be listened on now. A port is tested by connecting to it: a trial listener would accept
 * connections of probes that believe the service is up, and lose them.
 */
export async function requireFree(addresses: readonly ListenAddress[]): Promise<void> {
  for (const [at, address] of addresses.entries()) {
    const isTaken = addresses.slice(0, at).some((other) => overlap(other, address)) || (await answers(address));
    if (isTaken) throw new Error(`cannot listen on ${address.host}:${address.port}: ${IN_USE}`);
    const trial = createServer();
    await listen(trial, { host: address.host, port: 0 });
    await new Promise((resolve) => trial.close(resolve));
  }
}

const IN_USE = 'the port is in use; end the process that has it, or choose another port';
/** Wildcard addresses, and the loopback address to test them with. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1', '': '127.0.0.1' };
const CONNECT_LIMIT_MS = 500;

const overlap = (one: ListenAddress, other: ListenAddress): boolean =>
  one.port !== 0 &&
  one.port === other.port &&
  (one.host === other.host || one.host in EVERYWHERE || other.host in EVERYWHERE);

/** A listener too busy to answer in time counts as taken, too. */
function answers({ host, port }: ListenAddress): Promise<boolean> {
  if (port === 0) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect({ host: EVERYWHERE[host] ?? host, port });
    const end = (taken: boolean): void => {
      socket.destroy();
      resolve(taken);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
    socket.setTimeout(CONNECT_LIMIT_MS, () => end(true));
  });
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return IN_USE;
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
