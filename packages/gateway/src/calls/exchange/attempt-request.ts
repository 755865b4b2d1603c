/** The request of a call to a provider, and how it is sent. */
import { jobOf, type Target } from '../../kernel/target.ts';
import {
  type UpstreamExchange,
  type UpstreamListener,
  type UpstreamRequest,
  withLongStrings,
} from '../../kernel/upstream.ts';
import type { Lane } from '../lane.ts';
import type { Translator } from '../lanes/translator.ts';
import type { Planned } from '../request.ts';
import type { AttemptPorts } from './attempt-ports.ts';
import { PolledExchange, type PollPorts } from './polled-job.ts';

type Sent = {
  readonly target: Target;
  readonly lane: Lane;
  readonly translator: Translator;
  readonly spanId: string | undefined;
};

export function attemptRequest(
  planned: Planned,
  { target, lane, translator, spanId }: Sent,
  newConnection: boolean,
  ports: AttemptPorts,
): UpstreamRequest {
  const usual = translator.streams ? target.streamPath : target.path;
  const plain = {
    origin: target.origin,
    path: (target.actionPaths?.[lane.action ?? ''] ?? usual) + (lane.suffix ?? ''),
    headers: headersOf(planned, target, lane, spanId, ports),
    body: lane.body,
  };
  const { longStrings } = planned;
  const isSigned = target.signer !== undefined && target.signer.ignoresBody !== true;
  const whole = longStrings === undefined ? plain : withLongStrings(plain, longStrings, isSigned);
  return newConnection ? { ...whole, newConnection } : whole;
}

/**
 * The target's own headers, the trace context, and the caller's pass-through headers; the latter only for an upstream
 * of the same dialect, since no other understands them.
 */
function headersOf(
  { understanding: { passHeaders }, dialect, trace }: Planned,
  target: Target,
  { headers = passHeaders }: Pick<Lane, 'headers'>,
  spanId: string | undefined,
  { tracing }: AttemptPorts,
): readonly string[] {
  const passed = headers === undefined || target.dialect.id !== dialect.id ? undefined : headers.flat();
  const traced =
    trace === undefined || spanId === undefined ? undefined : tracing?.headersFor(trace, spanId, target.provider);
  if (passed === undefined && traced === undefined) return target.headers;
  return [...target.headers, ...(passed ?? []), ...(traced ?? [])];
}

/**
 * Most hosts answer the request itself; only hosts with jobs need polling. `unsigned`: the headers of the request without
 * its signature, which may expire before the job is done.
 */
export function sendTo(
  target: Target,
  { order }: Pick<Lane, 'order'>,
  request: UpstreamRequest,
  unsigned: readonly string[],
  listener: UpstreamListener,
  ports: PollPorts,
): UpstreamExchange {
  const job = jobOf(target.dialect);
  return job === undefined
    ? ports.upstream.send(request, listener)
    : new PolledExchange(target, request, unsigned, listener, ports, job, order);
}
