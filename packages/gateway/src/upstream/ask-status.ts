/** One GET of which only the status is needed and, unless it is a success, the reason: bounded in time and length. */
import { type Fault, faultOf } from '@trivium/protocol/canonical';
import type { Upstream, UpstreamExchange } from '../kernel/upstream.ts';

export type StatusQuestion = {
  readonly origin: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly waitMs: number;
};

export type StatusReply = {
  /** 0 if no answer came. */
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  /** The beginning of the error body, unless it is a success. */
  readonly refusal: string;
  /** Why there is no answer. */
  readonly failure?: { readonly fault: Fault; readonly cause: unknown };
};

/** Enough for an upstream's error message. */
const MAX_REFUSAL_CHARACTERS = 4096;

const NOTHING = (): undefined => undefined;

export function askStatus(upstream: Upstream, question: StatusQuestion): Promise<StatusReply> {
  const { origin, path, headers, waitMs } = question;
  return new Promise((resolve) => {
    let exchange: UpstreamExchange | undefined;
    let reply: StatusReply = { status: 0, header: NOTHING, refusal: '' };
    const end = (fault?: Fault, cause?: unknown): void => {
      clearTimeout(timer);
      exchange?.abort();
      resolve(fault === undefined ? reply : { ...reply, failure: { fault, cause } });
    };
    const late: Fault = { kind: 'upstream-timeout', message: `No answer within ${waitMs / 1000} s.` };
    // An error whose body never ends still counts as an error.
    const timer = setTimeout(() => (reply.status > 0 ? end() : end(late)), waitMs);
    try {
      exchange = upstream.send(
        { origin, path, headers, body: '', method: 'GET' },
        {
          onHead: (status, header) => {
            reply = { ...reply, status, header };
            if (status >= 200 && status < 300) end();
          },
          onText: (piece) => {
            reply = { ...reply, refusal: (reply.refusal + piece).slice(0, MAX_REFUSAL_CHARACTERS) };
            if (reply.refusal.length === MAX_REFUSAL_CHARACTERS) end();
          },
          onEnd: () => end(),
          onFail: (fault, cause) => (reply.status > 0 ? end() : end(fault, cause)),
        },
      );
    } catch (error) {
      end(faultOf(error), error);
    }
  });
}
