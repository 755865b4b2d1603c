/** One question for a token or for keys, bounded in time and length: to a service of the cloud, or to the machine's own. */
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import type { Clock } from '../../kernel/clock.ts';
import { ABSENT, type Timed, type Timeouts } from '../../kernel/timeouts.ts';
import type { Upstream, UpstreamExchange } from '../../kernel/upstream.ts';
import { dialer, type Resolve, systemResolve } from '../dialer.ts';
import { askOnce } from '../one-request.ts';
import { rangesOf } from '../public-addresses.ts';

type Question = {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};
export type IssuerReply = {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly text: string;
};
export type AskIssuer = (question: Question) => Promise<IssuerReply>;

export type IssuerPorts = { readonly upstream: Upstream; readonly clock: Clock; readonly timeouts: Timeouts };

const MAX_WAIT_MS = 15_000;
const MAX_PLATFORM_WAIT_MS = 1000;
const MAX_ANSWER_LENGTH = 65_536;

const fault = (kind: Fault['kind'], message: string): Fault => ({ kind, message });
const REFUSED = fault('upstream-broken', 'The upstream provider did not accept the gateway’s credential.');
const UNREADABLE = fault(
  'upstream-broken',
  'The upstream provider answered a sign-in with something else than a token.',
);
const TOO_SLOW = fault('upstream-timeout', 'The upstream provider took too long to sign the gateway in.');

/** What was answered is the private cause: it may name accounts. */
export const refusedWith = ({ status }: IssuerReply): GatewayError =>
  new GatewayError(REFUSED, { cause: `status ${status}` });
export const unreadable = (cause: string): GatewayError => new GatewayError(UNREADABLE, { cause });

/** Over the same guarded connections as every other call. */
export const askThrough =
  (ports: IssuerPorts): AskIssuer =>
  ({ url, method, headers, body = '' }) =>
    new Promise((resolve, reject) => {
      const startedAtMs = ports.clock.monotonicMs();
      let status = 0;
      let header: IssuerReply['header'] = () => undefined;
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
          {
            origin: url.origin,
            path: url.pathname + url.search,
            headers: [...Object.entries({ ...headers, 'accept-encoding': 'identity' }).flat()],
            body,
            ...(method === 'GET' && { method }),
          },
          {
            onHead: (code, of) => {
              status = code;
              header = of;
            },
            onText: (piece) => {
              text += piece;
              if (text.length > MAX_ANSWER_LENGTH) fail(UNREADABLE);
            },
            onEnd: () => {
              ports.timeouts.unwatch(watch);
              resolve({ status, header, text });
            },
            onFail: fail,
          },
        );
      } catch (error) {
        fail(REFUSED, error);
      }
    });

/** Where clouds answer a machine about itself: link-local addresses, and agents on the machine. Nothing else is asked. */
const isOfPlatform = rangesOf(['127.0.0.0/8', '::1', '169.254.0.0/16', 'fd00:ec2::/32']);

/** Of this machine, its container or its cloud: never through a proxy, no redirect, an answer within a second. */
export const askPlatform =
  (resolve: Resolve = systemResolve): AskIssuer =>
  async ({ url, ...question }) => {
    const connect = dialer(
      { by: 'caller', mayReach: isOfPlatform, resolve },
      { connectMs: MAX_PLATFORM_WAIT_MS, ca: [] },
    );
    const signal = AbortSignal.timeout(MAX_PLATFORM_WAIT_MS);
    try {
      const { answer, close } = await askOnce(url, { ...question, signal }, connect);
      try {
        let text = '';
        for await (const piece of answer.body.setEncoding('utf8')) {
          text += String(piece);
          if (text.length > MAX_ANSWER_LENGTH) throw unreadable('too long');
        }
        const header = (name: string): string | undefined => {
          const value = answer.headers[name];
          return typeof value === 'string' ? value : undefined;
        };
        return { status: answer.statusCode, header, text };
      } finally {
        await close();
      }
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause;
      throw new GatewayError(signal.aborted ? TOO_SLOW : REFUSED, { cause });
    }
  };
