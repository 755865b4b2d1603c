/** The operator's listener, loopback by default: is it alive, is it ready, what do the figures say. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

export type AdminPorts = {
  readonly ready: () => boolean;
  /** Everything below its mounts; absent without a database. */
  readonly api?: {
    readonly mounts: readonly string[];
    handle(request: IncomingMessage, response: ServerResponse): void;
  };
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
};

type Page = { readonly status: number; readonly type: string; readonly text: string };

const TEXT = 'text/plain; charset=utf-8';

async function pageOf(path: string, { ready, metrics }: AdminPorts): Promise<Page> {
  switch (path) {
    case '/livez':
      return { status: 200, type: TEXT, text: 'ok\n' };
    case '/readyz':
      return ready() ? { status: 200, type: TEXT, text: 'ready\n' } : { status: 503, type: TEXT, text: 'not ready\n' };
    case '/metrics':
      return { status: 200, type: metrics.contentType, text: await metrics.render() };
    default:
      return { status: 404, type: TEXT, text: 'not found\n' };
  }
}

export function createAdminPlane(ports: AdminPorts): Server {
  const { api } = ports;
  return createServer((request, response) => {
    if (api?.mounts.some((mount) => request.url?.startsWith(`${mount}/`)) === true) {
      api.handle(request, response);
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET' }).end();
      return;
    }
    pageOf(request.url ?? '', ports).then(
      ({ status, type, text }) => response.writeHead(status, { 'content-type': type }).end(text),
      () => response.writeHead(500).end(),
    );
  });
}
