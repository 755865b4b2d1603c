/** A forward proxy for the gateway's outgoing traffic: forwards requests to their URL, and opens tunnels for CONNECT. */
import { once } from 'node:events';
import { createServer, request as requestOf } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

type ForwardProxy = {
  readonly url: string;
  /** Requests and tunnels so far. */
  readonly used: number;
  close(): Promise<void>;
};

export async function openForwardProxy(): Promise<ForwardProxy> {
  const sockets = new Set<Socket>();
  let used = 0;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((incoming, response) => {
    used++;
    const { method = 'GET', headers, url = '' } = incoming;
    const outgoing = requestOf(url, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    outgoing.on('socket', keep);
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.on('connect', (request, client: Socket) => {
    used++;
    const { hostname, port } = new URL(`http://${request.url}`);
    const host = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      client.pipe(host).pipe(client);
    });
    keep(client);
    keep(host);
    client.on('close', () => host.destroy());
    host.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get used() {
      return used;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
