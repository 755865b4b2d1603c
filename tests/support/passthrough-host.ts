/** A host with small endpoints of its own, which remembers what reached it, and a gateway that has opened some of them. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEY, openStand, type Stand, type StandOptions, UPSTREAM_SECRET } from './stand.ts';

type Seen = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: readonly string[];
  readonly body: string;
};

export type SmallHost = {
  readonly url: string;
  readonly seen: Seen[];
  /** Of further requests; absent: `{"ok":true}`. */
  answer: ((response: ServerResponse, seen: Seen) => void) | undefined;
  close(): Promise<void>;
};

export async function openSmallHost(): Promise<SmallHost> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { method = '', url = '', headers, rawHeaders: raw } = request;
      const seen = { method, url, headers, raw, body: Buffer.concat(pieces).toString() };
      host.seen.push(seen);
      if (host.answer === undefined) sayJson(response, { ok: true });
      else host.answer(response, seen);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host: SmallHost = {
    url: `http://127.0.0.1:${port}/v1`,
    seen: [],
    answer: undefined,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return host;
}

export function sayJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** In USD: for one answer, and for one unit. */
const FLAT_USD = '0.002';
const UNIT_USD = '0.0001';
export const MOST_UNITS = 1000;

export const ROUTES: readonly object[] = [
  { provider: 'small', path: '/moderations', price: { kind: 'free' } },
  { provider: 'small', path: '/flat', price: { kind: 'flat', usd: FLAT_USD } },
  {
    provider: 'small',
    path: '/metered',
    price: { kind: 'metered', usd: UNIT_USD, pointer: '/usage/units', maxUnits: MOST_UNITS },
  },
  { provider: 'small', path: '/models/{model}:rank', models: ['one', 'two'], price: { kind: 'flat', usd: FLAT_USD } },
  { provider: 'small', method: 'GET', path: '/status', price: { kind: 'free' } },
  { provider: 'small', path: '/unpriced' },
  // Its host does not speak this format.
  { provider: 'small', path: '/elsewhere', dialect: 'bedrock-rerank', price: { kind: 'free' } },
];

export type PassthroughStand = Stand & { readonly host: SmallHost };

export async function openPassthroughStand(
  config: Record<string, unknown> = {},
  passthrough: object = {},
): Promise<PassthroughStand> {
  const host = await openSmallHost();
  const options: StandOptions = {
    alsoHosts: () => ({
      providers: { small: { dialect: 'openai-chat', baseUrl: host.url, credential: UPSTREAM_SECRET } },
      models: [],
    }),
    config: () => ({ passthrough: { routes: ROUTES, ...passthrough }, ...config }),
  };
  const stand = await openStand(options);
  return {
    ...stand,
    host,
    close: async () => {
      await stand.close();
      await host.close();
    },
  };
}

export type PassedReply = { readonly status: number; readonly headers: Headers; readonly text: string };

export async function pass(
  { url }: Pick<Stand, 'url'>,
  path: string,
  { method = 'POST', body = '{"input":"x"}', headers = {}, key = KEY }: PassedCall = {},
): Promise<PassedReply> {
  const response = await fetch(`${url}/passthrough/${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(key !== '' && { authorization: `Bearer ${key}` }),
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(method === 'POST' && { body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export type PassedCall = {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly key?: string;
};
