/** A receiver of webhooks that keeps what came: `GET /<id>` answers with what names that id, once it has come. */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type Delivered = { readonly headers: IncomingHttpHeaders; readonly body: string };
export type Receiver = { readonly port: number; readonly url: string; close(): void };

export async function startReceiver(): Promise<Receiver> {
  const delivered: Delivered[] = [];
  const arrivals = new EventEmitter().setMaxListeners(0);
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      delivered.push({ headers: request.headers, body: await text(request) });
      arrivals.emit('arrived');
      response.end();
      return;
    }
    const id = request.url?.slice(1) ?? '';
    const find = (): Delivered | undefined => delivered.find(({ body }) => body.includes(`"${id}"`));
    while (find() === undefined && !response.destroyed) await once(arrivals, 'arrived');
    response.end(JSON.stringify(find()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
