/** For tests: one call to an upstream, and all events its listener received. */
import type { UpstreamExchange, UpstreamRequest } from '../kernel/upstream.ts';
import type { UpstreamClient } from './upstream-client.ts';

export type Recorded = {
  status: number;
  text: string;
  ended: boolean;
  fault: string | undefined;
  code: string | undefined;
  how: string | undefined;
  /** Every event by name, to see their order and number. */
  events: string[];
};

type Call = { readonly recorded: Recorded; readonly exchange: UpstreamExchange; readonly over: Promise<Recorded> };

export function call(
  upstream: UpstreamClient,
  request: Partial<UpstreamRequest> & { readonly origin: string },
  onText?: (exchange: UpstreamExchange) => void,
): Call {
  const recorded: Recorded = {
    status: 0,
    text: '',
    ended: false,
    fault: undefined,
    code: undefined,
    how: undefined,
    events: [],
  };
  let resolve: (recorded: Recorded) => void = () => undefined;
  const over = new Promise<Recorded>((done) => {
    resolve = done;
  });
  const exchange = upstream.send(
    { path: '/', headers: [], body: '{}', ...request },
    {
      onHead: (status) => {
        recorded.status = status;
        recorded.events.push('head');
      },
      onText: (piece) => {
        recorded.text += piece;
        recorded.events.push('text');
        onText?.(exchange);
      },
      onEnd: () => {
        recorded.ended = true;
        recorded.events.push('end');
        resolve(recorded);
      },
      onFail: ({ kind }, cause, how) => {
        recorded.fault = kind;
        recorded.how = how;
        recorded.code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
        recorded.events.push('fail');
        resolve(recorded);
      },
    },
  );
  return { recorded, exchange, over };
}
