/** The operator's listener, loopback by default: liveness, readiness, metrics, admin API and console. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FAULT_RULES } from '@trivium/protocol/canonical';
import type { Connections } from './connections.ts';
import { framingFault, headFault, readHeaders, refuseInTurn } from './head.ts';
import { createListener, type ListenerBounds } from './listener.ts';
import { readiness } from './readiness.ts';
import { refuse } from './refuse.ts';
import { isConsolePath, type ServeConsole } from './serve-console.ts';
import { codingFault, NO_CODINGS } from './unpack.ts';

/** Handles everything below its mounts. */
export type MountedApi = {
  readonly mounts: readonly string[];
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Undefined while it is switched off. */
  console(): ServeConsole | undefined;
  /**
   * Serves a signed link to a stored result, so that the console can play it from its own origin. False: the path is
   * not one.
   */
  followLink(request: IncomingMessage, response: ServerResponse, path: string): boolean;
};

export type AdminPlanePorts = {
  readonly bounds: ListenerBounds;
  readonly connections: Connections;
  /** Why no call can be served now; undefined while ready. */
  readonly unready: () => string | undefined;
  /** Absent without a database and a secret. */
  readonly api?: MountedApi;
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
};

type Page = { readonly status: number; readonly type: string; readonly text: string };

const TEXT = 'text/plain; charset=utf-8';

const NOT_FOUND: Page = { status: 404, type: TEXT, text: 'not found\n' };
const WRONG_METHOD: Page = { status: 405, type: TEXT, text: 'Method not allowed. Use GET or HEAD.\n' };

async function pageOf(path: string, { unready, metrics }: AdminPlanePorts): Promise<Page> {
  switch (path) {
    case '/livez':
      return { status: 200, type: TEXT, text: 'ok\n' };
    case '/readyz':
      return { type: TEXT, ...readiness(unready()) };
    case '/metrics':
      return { status: 200, type: metrics.contentType, text: await metrics.render() };
    default:
      return NOT_FOUND;
  }
}

const headersOf = ({ type, text }: Page): string[] => [
  'content-type',
  type,
  'content-length',
  String(Buffer.byteLength(text)),
];

function send(response: ServerResponse, page: Page): void {
  response.writeHead(page.status, headersOf(page)).end(page.text);
}

export function createAdminPlane(ports: AdminPlanePorts): Server {
  return createPlane(ports.bounds, ports.connections, ports.api, (path) => pageOf(path, ports));
}

/** For members: the mounted API and console, without probes and metrics. */
export function createMembersPlane(bounds: ListenerBounds, connections: Connections, api: MountedApi): Server {
  return createPlane(bounds, connections, api, async () => NOT_FOUND);
}

function createPlane(
  bounds: ListenerBounds,
  connections: Connections,
  api: MountedApi | undefined,
  pageAt: (path: string) => Promise<Page>,
): Server {
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const headers = readHeaders(request.rawHeaders);
    const fault =
      framingFault(request, headers, bounds.limits.headerCount) ??
      headFault(request, headers) ??
      codingFault(headers, NO_CODINGS);
    if (fault !== undefined) {
      response.shouldKeepAlive = false;
      send(response, { status: FAULT_RULES[fault.kind].status, type: TEXT, text: `${fault.message}\n` });
      return;
    }
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (api?.mounts.some((mount) => path.startsWith(`${mount}/`)) === true) api.handle(request, response);
    else if (api?.followLink(request, response, path) === true) return;
    else if (request.method !== 'GET' && request.method !== 'HEAD')
      refuse(
        request,
        response,
        { ...WRONG_METHOD, headers: [...headersOf(WRONG_METHOD), 'allow', 'GET, HEAD'] },
        connections,
      );
    else {
      const serveConsole = isConsolePath(path) ? api?.console() : undefined;
      const served = serveConsole?.(request, response, path) ?? pageAt(path).then((page) => send(response, page));
      served.catch(() => {
        // A second head cannot be sent: the caller must see that the answer is not complete.
        if (response.headersSent) response.destroy();
        else send(response, { status: 500, type: TEXT, text: 'failed\n' });
      });
    }
  };
  const server = createListener(bounds, serve, connections);
  server.on('clientError', (error: Error & { readonly code?: string }, socket: Socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connections.excuses(socket)) return;
    refuseInTurn(error, socket, ({ kind, message }) => ({
      status: FAULT_RULES[kind].status,
      type: TEXT,
      text: `${message}\n`,
    }));
  });
  return server;
}
