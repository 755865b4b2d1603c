/** Raw requests: header names and bytes exactly as given. */
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Stand } from './stand.ts';

export type RawReply = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
};

export type RawRequest = {
  readonly method?: string;
  readonly path: string;
  /** Names and values in turn; a name may occur more than once. */
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
};

export async function send(stand: Stand, { method = 'POST', path, headers = [], body }: RawRequest): Promise<RawReply> {
  const { host, hostname, port } = new URL(stand.url);
  const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))];
  const outgoing = request({
    hostname,
    port,
    method,
    path,
    headers: ['host', host, 'connection', 'close', ...length, ...headers],
  });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  incoming.setEncoding('utf8');
  let text = '';
  for await (const piece of incoming) text += piece;
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    text,
    json: text.startsWith('{') ? JSON.parse(text) : {},
  };
}
