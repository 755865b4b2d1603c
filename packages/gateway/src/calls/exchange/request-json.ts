/** One request to an upstream and its whole answer, bounded in time and length. Sent once, without retries. */
import { type Fault, faultOf, type Json } from '@trivium/protocol/canonical';
import { GatheredText } from '@trivium/protocol/framing';
import type { Clock } from '../../kernel/clock.ts';
import type { RedactUpstream } from '../../kernel/redact.ts';
import { ABSENT, type Timed, type Timeouts } from '../../kernel/timeouts.ts';
import {
  type HowFailed,
  hasLapsed,
  type RequestSigner,
  type Upstream,
  type UpstreamExchange,
  type UpstreamRequest,
} from '../../kernel/upstream.ts';
import { retryAfterMs } from './upstream-error.ts';

export type AskPorts = {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  /** For messages that a dialect reads from an error answer. */
  readonly redact: RedactUpstream;
};
export type AskLimits = { readonly timeoutMs: number; readonly maxLength: number };

export type UpstreamReply =
  | {
      readonly status: number;
      readonly text: string;
      readonly retryAfterMs: number | undefined;
      readonly contentType?: string | undefined;
    }
  | { readonly fault: Fault; readonly how?: HowFailed | undefined; readonly cause: unknown };

const TOO_SLOW: Fault = { kind: 'upstream-timeout', message: 'The upstream provider took too long to answer.' };
const TOO_LONG: Fault = { kind: 'upstream-broken', message: 'The upstream provider sent an answer that is too long.' };
const UNSIGNED: Fault = { kind: 'upstream-broken', message: 'The gateway could not sign in to the upstream provider.' };

/** Never rejects: errors are part of the reply. */
export async function requestJson(
  request: UpstreamRequest,
  signer: RequestSigner | undefined,
  ports: AskPorts,
  limits: AskLimits,
): Promise<UpstreamReply> {
  let signed: readonly string[] = [];
  try {
    if (signer !== undefined) signed = await signer.sign(request);
  } catch (cause) {
    return { fault: UNSIGNED, how: 'unsent', cause };
  }
  const reply = await exchange({ ...request, headers: [...request.headers, ...signed] }, ports, limits);
  if ('status' in reply) hasLapsed(reply.status, signer, signed);
  return reply;
}

function exchange(
  request: UpstreamRequest,
  { upstream, clock, timeouts }: AskPorts,
  limits: AskLimits,
): Promise<UpstreamReply> {
  return new Promise((resolve) => {
    const untilMs = clock.monotonicMs() + limits.timeoutMs;
    let status = 0;
    const text = new GatheredText();
    let retry: number | undefined;
    let contentType: string | undefined;
    let sent: UpstreamExchange | undefined;
    const end = (reply: UpstreamReply): void => {
      timeouts.unwatch(watch);
      resolve(reply);
    };
    const giveUp = (fault: Fault): void => {
      sent?.abort();
      end({ fault, cause: undefined });
    };
    const watch: Timed = {
      index: ABSENT,
      tick: (nowMs) => {
        if (nowMs > untilMs) giveUp(TOO_SLOW);
      },
    };
    timeouts.watch(watch);
    try {
      sent = upstream.send(request, {
        onHead: (code, header) => {
          status = code;
          contentType = header('content-type');
          retry = retryAfterMs(header('retry-after'), undefined, clock.nowMs());
        },
        onText: (piece) => {
          text.push(piece);
          if (text.length > limits.maxLength) giveUp(TOO_LONG);
        },
        onEnd: () => end({ status, text: text.take(), retryAfterMs: retry, contentType }),
        onFail: (fault, cause, how) => end({ fault, cause, how }),
      });
    } catch (cause) {
      end({ fault: faultOf(cause), how: 'unsent', cause });
    }
  });
}

/** Undefined if it is not JSON. */
export function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
