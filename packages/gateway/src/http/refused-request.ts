/** A request that was refused before it was admitted, as far as it was parsed: for its record. */
import type { Fault } from '@trivium/protocol/canonical';
import type { ReceivedHead, Understood } from '../calls/request.ts';
import type { Clock } from '../kernel/clock.ts';
import type { RefusedRequest } from '../kernel/record.ts';
import { CALL_KINDS } from './route-table.ts';

/** Grows while it is served: its members show how far it got. */
export type ServedCall = ReceivedHead & Partial<Understood>;

/** Calls, and requests without a route; reports, lists and probes leave no record. */
const RECORDED_ROUTES: ReadonlySet<string> = new Set([...CALL_KINDS, 'passthrough', 'none']);

/** Of routes without a dialect. */
const OPERATION_OF_ROUTE: Readonly<Record<string, 'video' | 'passthrough'>> = {
  'video-call': 'video',
  passthrough: 'passthrough',
};

export type Exit = {
  readonly requestId: string;
  readonly protocol: string;
  readonly route: string;
  readonly fault: Fault;
};

/** Undefined for an admitted request, whose settlement writes the record, and for requests that are not calls. */
export function refusedRequest(exit: Exit, call: ServedCall | undefined, clock: Clock): RefusedRequest | undefined {
  if (!RECORDED_ROUTES.has(exit.route)) return undefined;
  if (call === undefined) return { ...exit, receivedAtMs: clock.nowMs(), durationMs: 0 };
  if (call.isRecorded === true) return undefined;
  const { caller, dialect, understanding, head, receivedAtMs, startedAtMs, trace, preferences, tags } = call;
  const operation = dialect?.operation ?? OPERATION_OF_ROUTE[exit.route];
  const askedModel = understanding?.model ?? head.model;
  return {
    ...exit,
    ...(trace !== undefined && { trace }),
    ...(operation !== undefined && { operation }),
    ...(caller !== undefined && { caller }),
    ...(askedModel !== undefined && { askedModel }),
    ...(preferences !== undefined && { preferences }),
    ...(tags !== undefined && { tags }),
    receivedAtMs,
    durationMs: clock.monotonicMs() - startedAtMs,
  };
}
