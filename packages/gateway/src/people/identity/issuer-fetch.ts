/**
 * Requests to configured issuers, with the interface of `fetch`: over the gateway's usual connections (dial policy,
 * certificates and proxy), limited in time and size. Redirects are not followed.
 */
import { GatheredText } from '@trivium/protocol/framing';
import type { Upstream, UpstreamExchange } from '../../kernel/upstream.ts';

const MAX_ANSWER_LENGTH = 1_048_576;
const WAIT_MS = 10_000;
/** Statuses for which a `Response` may have no body. */
const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

type IssuerRequest = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

export type IssuerFetch = (url: string, request?: IssuerRequest) => Promise<Response>;

const responseOf = (status: number, type: string, text: string): Response =>
  new Response(BODYLESS.has(status) ? null : text, { status, headers: { 'content-type': type } });

export const issuerFetch =
  (upstream: Upstream): IssuerFetch =>
  (address, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const url = new URL(address);
      const text = new GatheredText();
      let [status, type] = [0, ''];
      let exchange: UpstreamExchange | undefined;
      const fail = (reason: string, cause?: unknown): void => {
        clearTimeout(timer);
        exchange?.abort();
        reject(new Error(`${url.origin} ${reason}`, { cause }));
      };
      const timer = setTimeout(() => fail('did not answer in time'), WAIT_MS);
      const own = { ...headers, 'accept-encoding': 'identity' };
      try {
        exchange = upstream.send(
          {
            origin: url.origin,
            path: url.pathname + url.search,
            headers: Object.entries(own).flat(),
            body: body === undefined || body === null ? '' : String(body),
            ...(method === 'GET' && { method }),
          },
          {
            onHead: (code, header) => {
              status = code;
              type = header('content-type') ?? '';
            },
            onText: (piece) => {
              text.push(piece);
              if (text.length > MAX_ANSWER_LENGTH) fail('sent an answer that is too long');
            },
            onEnd: () => {
              clearTimeout(timer);
              resolve(responseOf(status, type, text.take()));
            },
            onFail: (fault, cause) => fail('does not answer', cause ?? fault.message),
          },
        );
      } catch (error) {
        fail('cannot be called', error);
      }
    });
