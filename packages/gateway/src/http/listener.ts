/**
 * Settings shared by both listeners: limits on heads and their timing, HTTP/1 only, no 100 Continue before the head is
 * checked.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';
import { HeldRequests } from './held-requests.ts';

export type ListenerBounds = {
  readonly limits: { readonly headerBytes: number; readonly headerCount: number; readonly connections: number };
  readonly timeouts: { readonly headersMs: number; readonly requestMs: number; readonly keepAliveMs: number };
};

/** By default Node checks for late heads and bodies only every 30 s. */
const MAX_CHECK_MS = 1000;

/** Whether a connection is taken for another protocol. */
export type TakeUpgrade = (request: IncomingMessage, socket: Socket, rest: Buffer) => boolean;

/** `connections`: absent for calls from within the process. */
export function createListener(
  { limits, timeouts }: ListenerBounds,
  serve: RequestListener,
  connections?: Connections,
  takeUpgrade?: TakeUpgrade,
): Server {
  const inPlace = new WeakSet<IncomingMessage>();
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: Math.min(MAX_CHECK_MS, timeouts.headersMs / 4, timeouts.requestMs / 4),
    keepAliveTimeout: timeouts.keepAliveMs,
    noDelay: true,
    // Checked by the gateway, so that the error has the format of the path's protocol.
    requireHostHeader: false,
    rejectNonStandardBodyWrites: false,
    shouldUpgradeCallback: (request) => {
      if (canStartOver(request, limits.headerCount)) return true;
      inPlace.add(request);
      return false;
    },
  });
  // One more than the limit: Node drops the surplus silently, and the gateway refuses such a request with an error.
  server.maxHeadersCount = limits.headerCount + 1;
  server.maxConnections = limits.connections;
  const begin = connections === undefined ? serve : counted(serve, connections);
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    // Node loses bytes that came in one piece with such a request; closing the connection shows that nothing after it
    // was read.
    if (inPlace.has(request)) response.shouldKeepAlive = false;
    const { headers } = request;
    // More of its body may be on the way than is worth discarding.
    if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > DISCARDED_BYTES)
      response.on('finish', closeUnread);
    const { socket } = request;
    if (connections !== undefined && connections.excused.size > 0) connections.excused.delete(socket);
    const earlier = answering(socket);
    if (earlier === undefined || earlier === response || connections === undefined) {
      begin(request, response);
      return;
    }
    let waiting = connections.held.get(socket);
    if (waiting === undefined) {
      waiting = new HeldRequests(socket, connections, begin, timeouts.headersMs);
      connections.held.set(socket, waiting);
    }
    waiting.take(request, response, earlier);
  };
  if (connections !== undefined) server.on('connection', connections.opened);
  // With a listener for these events Node leaves 100 Continue to the gateway: see `inviteBody`.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, take);
  server.on('upgrade', (request: IncomingMessage, socket: Socket, rest: Buffer) => {
    connections?.held.get(socket)?.giveUpReading();
    connections?.held.delete(socket);
    if (takeUpgrade !== undefined && answering(socket) === undefined && takeUpgrade(request, socket, rest)) return;
    startOver(server, request, socket, rest);
  });
  return server;
}

const counted =
  (serve: RequestListener, connections: Connections): RequestListener =>
  (request, response) => {
    serve(request, response);
    connections.begun(request, response);
  };

/** A body hardly longer than what came with its head is discarded as it arrives; a new connection costs more. */
export const DISCARDED_BYTES = 65_536;

/** Node would read the rest of a body that was not needed, however long, and in however many pieces. */
function closeUnread(this: ServerResponse): void {
  if (!this.req.complete) this.req.socket.destroySoon();
}

/** To be called when a body is first needed: until then a caller that sent `Expect: 100-continue` sends nothing. */
export function inviteBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect === undefined || request.httpVersion === '1.0' || request.complete) return;
  response.writeContinue();
}

/**
 * Node stops parsing HTTP at a head that asks for an upgrade, whether or not it is granted. A request without a body is
 * parsed again without the upgrade header, and what follows it stays in place.
 */
function canStartOver({ rawHeaders }: IncomingMessage, maxHeaders: number): boolean {
  return (
    rawHeaders.length / 2 <= maxHeaders &&
    !rawHeaders.some((name, at) => at % 2 === 0 && BODY_HEADERS.has(name.toLowerCase()))
  );
}

const BODY_HEADERS: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);

function startOver(server: Server, request: IncomingMessage, socket: Socket, rest: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() !== 'upgrade') head += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  socket.unshift(Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), rest]));
  const onError = (): void => void socket.destroy();
  socket.on('error', onError);
  const begin = (): void => {
    if (socket.destroyed || socket.writableEnded) return;
    const earlier = answering(socket);
    if (earlier !== undefined) {
      earlier.once('close', begin);
      return;
    }
    socket.off('error', onError);
    server.emit('connection', socket);
  };
  begin();
}

/** The answer that is under way on a connection; Node queues those behind it separately. */
export const answering = (socket: Socket): ServerResponse | undefined =>
  '_httpMessage' in socket && socket._httpMessage instanceof ServerResponse ? socket._httpMessage : undefined;
