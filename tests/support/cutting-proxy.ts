/**
 * A host between the gateway and an upstream that lets a set number of events of a stream through and then dies: the
 * connection breaks, or the body ends as if all had been said. Whole answers pass untouched.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Death = 'break' | 'end';

export type CuttingProxy = {
  readonly url: string;
  /** Events per stream from now on; undefined lets everything through. */
  cutAfter(events: number | undefined, death?: Death): void;
  /** The events of the last stream that came from upstream, cut or not. */
  lastEvents(): readonly string[];
  close(): Promise<void>;
};

export async function openCuttingProxy(upstream: () => string): Promise<CuttingProxy> {
  let limit: number | undefined;
  let death: Death = 'break';
  let seen: readonly string[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = await fetch(`${upstream()}${request.url}`, {
      method: 'POST',
      headers: passedOn(request),
      body: await textOf(request),
    });
    const body = await reply.text();
    const contentType = reply.headers.get('content-type') ?? '';
    response.writeHead(reply.status, { 'content-type': contentType });
    if (!contentType.startsWith('text/event-stream')) return void response.end(body);
    seen = body.split('\n\n').filter((event) => event !== '');
    const passed = seen.slice(0, limit).map((event) => `${event}\n\n`);
    response.flushHeaders();
    if (passed.length > 0) await new Promise((written) => response.write(passed.join(''), written));
    if (limit === undefined || death === 'end') response.end();
    else response.socket?.destroySoon();
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    cutAfter: (events, manner = 'break') => {
      limit = events;
      death = manner;
    },
    lastEvents: () => seen,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const NOT_PASSED = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding']);

const passedOn = (request: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      NOT_PASSED.has(name) || value === undefined ? [] : [[name, String(value)]],
    ),
  );

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
