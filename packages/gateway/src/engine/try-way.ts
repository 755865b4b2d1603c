/** One attempt, and its line in the record. */
import { type Fault, faultOf, GatewayError } from '@trivium/protocol/canonical';
import { Attempt } from './attempt.ts';
import type { AttemptPorts } from './attempt-ports.ts';
import { heardOf } from './heard.ts';
import { type Failing, failedOf } from './judge-failure.ts';
import { chooseLane, type Lane } from './lane.ts';
import type { Target } from './ports.ts';
import { outcomeOf } from './relay.ts';
import type { Admitted, AttemptRecord } from './stages.ts';

export const GONE = new GatewayError({ kind: 'cancelled', message: 'The caller hung up.' });

/** Why an attempt came to nothing, with all that may be asked about it. */
export class Failure implements Failing {
  readonly way: Target;
  readonly error: unknown;
  readonly fault: Fault;
  readonly status: number;
  readonly how: Failing['how'];
  /** What was sent, if it came to that. */
  readonly lane: Lane | undefined;

  constructor(way: Target, error: unknown, attempt: Attempt | undefined, lane: Lane | undefined) {
    this.way = way;
    this.error = error;
    this.fault = faultOf(error);
    this.status = attempt?.status ?? 0;
    this.how = attempt === undefined ? 'unsent' : attempt.howFailed;
    this.lane = lane;
  }
}

export type TryOptions = {
  /** In place of the lane that would be chosen: without seals, or without members that the host does not know. */
  readonly stripped?: Lane;
  readonly spared?: Lane;
  /** Over a new connection. */
  readonly anew?: boolean;
  /** Where another attempt runs beside this one: told of it as soon as it exists, and in charge of who leaves. */
  readonly onAttempt?: (attempt: Attempt) => void;
  /** In place of the record. */
  readonly onLine?: (line: AttemptRecord) => void;
};

const PLAIN: TryOptions = {};

export async function tryWay(
  admitted: Admitted,
  way: Target,
  ports: AttemptPorts,
  { stripped, spared, anew, onAttempt, onLine }: TryOptions = PLAIN,
): Promise<Attempt | Failure> {
  const startedAtMs = ports.clock.monotonicMs();
  let lane = stripped ?? spared;
  let attempt: Attempt | undefined;
  ports.health.enter(way.routeKey, startedAtMs);
  try {
    if (admitted.reply.gone) throw GONE;
    const chosen = lane ?? chooseLane(admitted, way, ports);
    lane = chosen instanceof Promise ? await chosen : chosen;
    const made = new Attempt(admitted, way, lane, ports);
    attempt = made;
    // A caller who leaves while we wait for the first content must stop the upstream at once, too.
    if (onAttempt === undefined) admitted.reply.onGone(() => made.giveUp(GONE));
    else onAttempt(made);
    if (admitted.reply.gone) throw GONE;
    await made.begin(anew);
    note(lineOf(made, lane, stripped, ports.clock.monotonicMs() - startedAtMs), admitted, onLine);
    return made;
  } catch (error) {
    const failure = new Failure(way, error, attempt, lane);
    const nowMs = ports.clock.monotonicMs();
    note(failureLine(failure, attempt, stripped, nowMs - startedAtMs, ports.redact), admitted, onLine);
    if (attempt !== undefined && onAttempt === undefined) closeIfLeft(admitted, attempt);
    if (attempt === undefined) ports.health.report(way.routeKey, 'unjudged', nowMs);
    else attempt.abort();
    return failure;
  }
}

/** Whoever leaves a stream that the upstream has taken up pays for what was put into it, though nothing came of it. */
export function closeIfLeft(admitted: Admitted, attempt: Attempt): void {
  const { reply, understanding, settlement } = admitted;
  if (!reply.gone || !understanding.stream || attempt.status !== 200 || attempt.target.dialect.operation !== 'text')
    return;
  settlement.close(outcomeOf({ attempt, losses: attempt.lane.losses }, 'gone', GONE.fault));
}

function note(line: AttemptRecord, { settlement }: Admitted, onLine: TryOptions['onLine']): void {
  if (onLine === undefined) settlement.attempts.push(line);
  else onLine(line);
}

const lineOf = ({ target }: Attempt, lane: Lane, stripped: Lane | undefined, durationMs: number): AttemptRecord => ({
  provider: target.provider,
  lane: lane.kind,
  ...(stripped !== undefined && { sealsStripped: true }),
  durationMs,
});

const heardBy = (
  { status, upstreamRequestId, refusal: body }: Attempt,
  { fault, error }: Failure,
  redact: AttemptPorts['redact'],
) => heardOf({ fault, error, status, upstreamRequestId, body }, redact);

const failureLine = (
  failure: Failure,
  attempt: Attempt | undefined,
  stripped: Lane | undefined,
  durationMs: number,
  redact: AttemptPorts['redact'],
): AttemptRecord => ({
  provider: failure.way.provider,
  lane: failure.lane?.kind ?? 'none',
  fault: failure.fault.kind,
  ...(stripped !== undefined && { sealsStripped: true }),
  durationMs,
  ...(attempt !== undefined && failure.fault.kind !== 'cancelled' && { heard: heardBy(attempt, failure, redact) }),
  // Whatever may have been carried out may be on the provider's bill.
  ...(attempt !== undefined && !failedOf(failure).unexecuted && { operatorCost: attempt.operatorCost }),
});
