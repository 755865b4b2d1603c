/** An upstream with secrets in its errors, in every field from which a dialect reads a text. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';

/** A secret without a known pattern: recognised because it is configured. */
export const CREDENTIAL = 'quiet songbird credential';
/** The parts of a key pair, likewise. */
export const KEY_PAIR = 'access-songbird:hidden-songbird-secret';
/** At the start, to show that callers get the harmless part. */
export const SAYS = 'This host says';
export const LEAK =
  `${SAYS} that ${CREDENTIAL} and ${KEY_PAIR} (Basic ${Buffer.from(`:${CREDENTIAL}`).toString('base64')}, ` +
  'Authorization: Bearer songbirdTokenOfAnotherKind, sk-songbird-0123456789) were refused by ' +
  'http://vllm.songbird.internal:8000/v1/x?key=songbird99 at 10.20.30.40 (songbird-0:9000)';

/** An error of any dialect; with a code that means a caller error where the dialect has one. */
export const leakyError = (code: unknown = 'invalid_prompt'): Record<string, unknown> => ({
  type: 'error',
  code,
  message: LEAK,
  param: LEAK,
  detail: [{ type: 'value_error', msg: LEAK, loc: ['body'] }],
  base_resp: { status_code: 2013, status_msg: LEAK },
  error: {
    type: 'invalid_request_error',
    code,
    message: LEAK,
    param: LEAK,
    status: 'INVALID_ARGUMENT',
    details: [{ fieldViolations: [{ field: LEAK, description: LEAK }] }],
  },
});

/** Texts that must not occur anywhere, in any encoding. */
const FORBIDDEN = [
  /songbird/i,
  /10\.20\.30\.40/,
  new RegExp(Buffer.from(`:${CREDENTIAL}`).toString('base64')),
  new RegExp(encodeURIComponent(CREDENTIAL)),
];

export function expectNoLeak(where: string, text: string): void {
  for (const form of FORBIDDEN) expect(text, where).not.toMatch(form);
}

export type Said = {
  readonly status?: number;
  readonly contentType?: string;
  readonly body: string | object;
  /** What follows the body once this is over. */
  readonly rest?: { readonly after: Promise<void>; readonly text: string };
};

export type LeakyUpstream = {
  readonly url: string;
  /** The answer to a request, by method and path. */
  answer: (method: string, path: string) => Said;
  close(): Promise<void>;
};

export async function openLeakyUpstream(): Promise<LeakyUpstream> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', async () => {
      const {
        status = 200,
        contentType = 'application/json',
        body,
        rest,
      } = handlers.answer(request.method ?? '', request.url ?? '');
      response.writeHead(status, { 'content-type': contentType });
      response.write(typeof body === 'string' ? body : JSON.stringify(body));
      await rest?.after;
      response.end(rest?.text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const handlers: LeakyUpstream = {
    answer: () => ({ body: {} }),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return handlers;
}
