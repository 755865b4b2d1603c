// One exchange of a signed assertion for an access token, over the same guarded connections as every other call.

import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import type { Clock } from '../../kernel/clock.ts';
import { ABSENT, type Timed, type Timeouts } from '../../kernel/timeouts.ts';
import type { Upstream, UpstreamExchange } from '../../kernel/upstream.ts';

export type Token = { readonly accessToken: string; readonly lifetimeMs: number };

export type TokenExchangePorts = { readonly upstream: Upstream; readonly clock: Clock; readonly timeouts: Timeouts };

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const MAX_WAIT_MS = 15_000;
const MAX_ANSWER_LENGTH = 65_536;
const HEADERS = [
  'content-type',
  'application/x-www-form-urlencoded',
  'accept',
  'application/json',
  'accept-encoding',
  'identity',
];
/** Characters allowed in a header. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;

const fault = (kind: Fault['kind'], message: string): Fault => ({ kind, message });
const REFUSED = fault('upstream-broken', 'The upstream provider did not accept the gateway’s credential.');
const UNREADABLE = fault(
  'upstream-broken',
  'The upstream provider answered a sign-in with something else than a token.',
);
const TOO_SLOW = fault('upstream-timeout', 'The upstream provider took too long to sign the gateway in.');

export function exchangeToken(url: URL, assertion: string, ports: TokenExchangePorts): Promise<Token> {
  const body = new URLSearchParams({ grant_type: GRANT, assertion }).toString();
  return new Promise((resolve, reject) => {
    const startedAtMs = ports.clock.monotonicMs();
    let status = 0;
    let text = '';
    let exchange: UpstreamExchange | undefined;
    const watch: Timed = {
      index: ABSENT,
      tick: (nowMs) => {
        if (nowMs - startedAtMs > MAX_WAIT_MS) fail(TOO_SLOW);
      },
    };
    const fail = (why: Fault, cause?: unknown): void => {
      ports.timeouts.unwatch(watch);
      exchange?.abort();
      reject(new GatewayError(why, { cause }));
    };
    ports.timeouts.watch(watch);
    try {
      exchange = ports.upstream.send(
        { origin: url.origin, path: url.pathname + url.search, headers: HEADERS, body },
        {
          onHead: (code) => {
            status = code;
          },
          onText: (piece) => {
            text += piece;
            if (text.length > MAX_ANSWER_LENGTH) fail(UNREADABLE);
          },
          onEnd: () => {
            const token = status === 200 ? readToken(text) : undefined;
            if (token === undefined) return fail(status === 200 ? UNREADABLE : REFUSED, `status ${status}`);
            ports.timeouts.unwatch(watch);
            resolve(token);
          },
          onFail: fail,
        },
      );
    } catch (error) {
      fail(REFUSED, error);
    }
  });
}

function readToken(text: string): Token | undefined {
  try {
    const { access_token: accessToken, expires_in: lifetimeS }: Record<string, unknown> = JSON.parse(text);
    if (typeof accessToken !== 'string' || !TOKEN.test(accessToken)) return undefined;
    if (typeof lifetimeS !== 'number' || !(lifetimeS > 0)) return undefined;
    return { accessToken, lifetimeMs: lifetimeS * 1000 };
  } catch {
    return undefined;
  }
}
