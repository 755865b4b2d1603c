/**
 * The 200 of a stream is held back until its first content, so that a failure can still be told by status or mended
 * elsewhere. But not for ever: whatever stands between us and the caller takes silence for death. After the hold it is
 * opened and kept alive; since signs of life are no content, another host may still be asked behind it.
 */
import type { Fault } from '@trivium/protocol/canonical';
import type { AnswerContext } from '@trivium/protocol/dialects';
import type { Clock } from './ports.ts';
import { streamHeaders } from './reply-headers.ts';
import { grow, type Planned } from './stages.ts';

export type EarlyPorts = {
  readonly clock: Clock;
  readonly early: { readonly holdMs: number; readonly keepAliveMs: number };
};

export type EarlyReply = { wroteAtMs: number };

/** Called while a stream has not begun. True once the hold is over. */
export function keepWaiting(
  planned: Planned,
  attempt: { readonly context: AnswerContext; readonly lane: { readonly losses: Planned['understanding']['losses'] } },
  nowMs: number,
  { early: { holdMs, keepAliveMs } }: EarlyPorts,
): boolean {
  const { dialect, head, reply, startedAtMs, id } = planned;
  if (nowMs - startedAtMs <= holdMs) return false;
  // An array of JSON has no sign of life.
  if (dialect.operation !== 'text' || head.asArray === true || reply.gone) return true;
  if (planned.early === undefined) {
    reply.open(200, streamHeaders(id, attempt.lane.losses, true));
    grow(planned, { early: { wroteAtMs: Number.NEGATIVE_INFINITY } });
  }
  const { early } = planned;
  if (early !== undefined && nowMs - early.wroteAtMs > keepAliveMs) {
    early.wroteAtMs = nowMs;
    reply.write(dialect.server.keepAlive(attempt.context));
  }
  return true;
}

/** Nobody could answer, and the caller has had a 200: now only the stream itself can tell. */
export function failEarly({ dialect, reply, id }: Planned, fault: Fault): void {
  if (dialect.operation === 'text') reply.write(dialect.server.streamFault(fault, id));
  reply.cut();
}
