/** The operator's listener, loopback by default: is it alive, is it ready, what do the figures say. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { FAULT_RULES } from '@trivium/protocol/canonical';
import { framingFault, headFault, readHeaders } from './head.ts';
import { createListener, type ListenerBounds } from './listener.ts';
import { readiness } from './readiness.ts';
import { refuse } from './refuse.ts';

export type AdminPlanePorts = {
  readonly bounds: ListenerBounds;
  /** Why no call could be served now; undefined while one can. */
  readonly unready: () => string | undefined;
  /** Everything below its mounts; absent without a database. */
  readonly api?: {
    readonly mounts: readonly string[];
    handle(request: IncomingMessage, response: ServerResponse): void;
  };
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
};

type Page = { readonly status: number; readonly type: string; readonly text: string };

const TEXT = 'text/plain; charset=utf-8';

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
      return { status: 404, type: TEXT, text: 'not found\n' };
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
  const { api, bounds } = ports;
  return createListener(bounds, (request, response) => {
    const headers = readHeaders(request.rawHeaders);
    const fault = framingFault(request, headers, bounds.limits.headerCount) ?? headFault(request, headers);
    if (fault !== undefined) {
      response.shouldKeepAlive = false;
      send(response, { status: FAULT_RULES[fault.kind].status, type: TEXT, text: `${fault.message}\n` });
      return;
    }
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (api?.mounts.some((mount) => path.startsWith(`${mount}/`)) === true) api.handle(request, response);
    else if (request.method !== 'GET' && request.method !== 'HEAD')
      refuse(request, response, { ...WRONG_METHOD, headers: [...headersOf(WRONG_METHOD), 'allow', 'GET, HEAD'] });
    else
      pageOf(path, ports).then(
        (page) => send(response, page),
        () => send(response, { status: 500, type: TEXT, text: 'failed\n' }),
      );
  });
}
