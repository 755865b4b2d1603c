/** For tests: one call to an upstream, and all events its listener received. */
import type { UpstreamExchange, UpstreamRequest } from '../kernel/upstream.ts';
import type { UpstreamClient } from './upstream-client.ts';

export type Heard = {
  status: number;
  text: string;
  ended: boolean;
  fault: string | undefined;
  code: string | undefined;
  how: string | undefined;
  /** Every event by name, to see their order and number. */
  events: string[];
};

type Call = { readonly heard: Heard; readonly exchange: UpstreamExchange; readonly over: Promise<Heard> };

export function call(
  upstream: UpstreamClient,
  request: Partial<UpstreamRequest> & { readonly origin: string },
  onText?: (exchange: UpstreamExchange) => void,
): Call {
  const heard: Heard = {
    status: 0,
    text: '',
    ended: false,
    fault: undefined,
    code: undefined,
    how: undefined,
    events: [],
  };
  let resolve: (heard: Heard) => void = () => undefined;
  const over = new Promise<Heard>((done) => {
    resolve = done;
  });
  const exchange = upstream.send(
    { path: '/', headers: [], body: '{}', ...request },
    {
      onHead: (status) => {
        heard.status = status;
        heard.events.push('head');
      },
      onText: (piece) => {
        heard.text += piece;
        heard.events.push('text');
        onText?.(exchange);
      },
      onEnd: () => {
        heard.ended = true;
        heard.events.push('end');
        resolve(heard);
      },
      onFail: ({ kind }, cause, how) => {
        heard.fault = kind;
        heard.how = how;
        heard.code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
        heard.events.push('fail');
        resolve(heard);
      },
    },
  );
  return { heard, exchange, over };
}
