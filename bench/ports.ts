// Ports for one run: free ones picked by the kernel, or a consecutive range the caller names.
import { once } from 'node:events';
import { createServer } from 'node:net';

export async function choosePorts(count: number, basePort: number | undefined): Promise<readonly number[]> {
  if (basePort !== undefined) return Array.from({ length: count }, (_, index) => basePort + index);
  // All are held open until all are known, so that none is handed out twice.
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the kernel gave no port');
    return address.port;
  });
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
