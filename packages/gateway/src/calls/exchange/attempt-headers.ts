/** Headers of a call to a provider. */
import type { Target } from '../../kernel/target.ts';
import type { Lane } from '../lane.ts';
import type { Planned } from '../request.ts';
import type { AttemptPorts } from './attempt-ports.ts';

/**
 * The target's own headers, the trace context, and the caller's pass-through headers; the latter only for an upstream
 * of the same dialect, since no other understands them.
 */
export function attemptHeaders(
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
