// The HTTP server: routes each request to the control API or to its vendor's dialect, and closes without leftovers.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type ControlTools, serveControl } from './control.ts';
import type { SimulatedDialect } from './dialects/dialect.ts';
import { conductExchange, type ExchangeTools } from './exchange.ts';
import { readTarget } from './target.ts';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly dialects: readonly SimulatedDialect[];
  readonly tools: ExchangeTools;
}

export interface Listener {
  readonly port: number;
  readonly close: () => Promise<void>;
}

const KEEP_ALIVE_TIMEOUT_MS = 60_000;
const MAX_HEADER_BYTES = 64 * 1024;

export async function listen(options: ListenerOptions): Promise<Listener> {
  const sockets = new Set<Socket>();
  const control: ControlTools = { ...options.tools, openSockets: () => sockets.size };
  let sequence = 0;
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS, maxHeaderSize: MAX_HEADER_BYTES },
    (request, response) => {
      sequence += 1;
      serve(request, response, sequence, options, control).catch((error: unknown) => {
        options.tools.log(`simulator error: ${error instanceof Error ? error.stack : String(error)}`);
        response.destroy();
      });
    },
  );
  // A stream may last many minutes.
  server.requestTimeout = 0;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  sequence: number,
  { dialects, tools }: ListenerOptions,
  control: ControlTools,
): Promise<void> {
  const target = readTarget(request.url ?? '');
  if (target.kind === 'control') return serveControl(target.action, request, response, control);
  const dialect =
    target.kind === 'vendor'
      ? dialects.find((one) => one.vendors.includes(target.vendor) && one.paths.some((path) => path.test(target.path)))
      : undefined;
  if (target.kind === 'vendor' && dialect !== undefined)
    return conductExchange({ request, response, target, dialect, sequence }, tools);
  const message = `Invalid URL (${request.method} ${request.url})`;
  request.resume();
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: null } }));
}
