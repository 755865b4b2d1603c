/**
 * A proxy between the gateway and an upstream that forwards a set number of events of a stream and then breaks off: the
 * connection breaks, or the body ends as if complete. Whole answers pass unchanged. It may also replay given
 * events, and then calls no upstream.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Death = 'break' | 'end';

export type CuttingProxy = {
  readonly url: string;
  /** Events per stream from now on; undefined lets everything through. */
  cutAfter(events: number | undefined, death?: Death): void;
  /** Events to send from now on instead of the upstream's; undefined calls the upstream again. */
  replay(events: readonly string[] | undefined): void;
  /** The events of the last stream that came from upstream, cut or not. */
  lastEvents(): readonly string[];
  close(): Promise<void>;
};

export async function openCuttingProxy(upstream: () => string): Promise<CuttingProxy> {
  let limit: number | undefined;
  let death: Death = 'break';
  let seen: readonly string[] = [];
  let given: readonly string[] | undefined;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = await textOf(request);
    if (given !== undefined) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      seen = given;
      return pass(response);
    }
    const reply = await fetch(`${upstream()}${request.url}`, {
      method: 'POST',
      headers: passedOn(request),
      body: sent,
    });
    const body = await reply.text();
    const contentType = reply.headers.get('content-type') ?? '';
    response.writeHead(reply.status, { 'content-type': contentType });
    if (!contentType.startsWith('text/event-stream')) return void response.end(body);
    seen = eventsIn(body);
    return pass(response);
  };
  const pass = async (response: ServerResponse): Promise<void> => {
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
    replay: (events) => {
      given = events;
    },
    lastEvents: () => seen,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The records of a stream, whatever ends its lines. */
export const eventsIn = (body: string): string[] =>
  body
    .replaceAll('\r\n', '\n')
    .split(/\n{2,}/)
    .filter((event) => event !== '');

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
