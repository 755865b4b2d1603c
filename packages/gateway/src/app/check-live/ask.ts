/** One request to a host, and its whole answer with what a check reads of the head. */
import { type Fault, faultOf } from '@trivium/protocol/canonical';
import type { FormPart } from '@trivium/protocol/dialects';
import type { Target } from '../../kernel/target.ts';
import type { Upstream, UpstreamExchange, UpstreamRequest } from '../../kernel/upstream.ts';

export type LiveReply = {
  readonly status: number;
  readonly text: string;
  /** Names of the headers about limits. */
  readonly limitHeaders: readonly string[];
};
export type LiveFailure = { readonly fault: Fault };

const WAIT_MS = 120_000;
/** Pictures come as text. */
const MAX_ANSWER_LENGTH = 16 * 1024 * 1024;
const ABOUT_LIMITS = /ratelimit|rate-limit|retry-after|quota/i;

const TOO_SLOW: Fault = { kind: 'upstream-timeout', message: `No answer within ${WAIT_MS / 1000} s.` };
const TOO_LONG: Fault = { kind: 'upstream-broken', message: 'The answer is longer than any that was asked for.' };

export type Question = {
  readonly path: string;
  readonly body?: string | readonly FormPart[];
  readonly headers?: readonly string[];
  /** A good answer is bytes: each character stands for one. */
  readonly readsBytes?: boolean;
};

/** Never rejects. Without a body it is a GET. */
export async function ask(
  upstream: Upstream,
  target: Pick<Target, 'origin' | 'headers' | 'signer'>,
  { path, body, headers = [], readsBytes = false }: Question,
): Promise<LiveReply | LiveFailure> {
  const request: UpstreamRequest = {
    origin: target.origin,
    path,
    headers: [...target.headers, ...headers],
    body: body ?? '',
    ...(body === undefined && { method: 'GET' }),
  };
  try {
    const signed = (await target.signer?.sign(request)) ?? [];
    return await send(upstream, { ...request, headers: [...request.headers, ...signed] }, readsBytes);
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

function send(upstream: Upstream, request: UpstreamRequest, readsBytes: boolean): Promise<LiveReply | LiveFailure> {
  return new Promise((resolve) => {
    let exchange: UpstreamExchange | undefined;
    let status = 0;
    let text = '';
    let limitHeaders: readonly string[] = [];
    const end = (reply: LiveReply | LiveFailure): void => {
      clearTimeout(timer);
      resolve(reply);
    };
    const giveUp = (fault: Fault): void => {
      exchange?.abort();
      end({ fault });
    };
    const timer = setTimeout(() => giveUp(TOO_SLOW), WAIT_MS);
    exchange = upstream.send(request, {
      readsBytes,
      onHead: (code, _header, headers) => {
        status = code;
        const names = (headers?.() ?? []).filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
        limitHeaders = [...new Set(names.filter((name) => ABOUT_LIMITS.test(name)))].sort();
      },
      onText: (piece) => {
        text += piece;
        if (text.length > MAX_ANSWER_LENGTH) giveUp(TOO_LONG);
      },
      onEnd: () => end({ status, text, limitHeaders }),
      onFail: (fault) => end({ fault }),
    });
  });
}
