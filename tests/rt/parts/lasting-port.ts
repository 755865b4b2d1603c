/**
 * A port for a server that is killed and started again in the same place. It lies below the range that kernels give to outgoing
 * connections (from 32768 on Linux), so no connection of the load can take it while the server is down.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';

const LOWEST = 20_000;
const HIGHEST = 32_000;
const MAX_TRIES = 50;

export async function lastingPort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port from ${LOWEST} to ${HIGHEST} in ${MAX_TRIES} tries`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  await once(server.close(), 'close');
  return true;
}
