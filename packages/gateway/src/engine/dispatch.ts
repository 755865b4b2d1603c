/** Tries the plan's targets in turn until one answers. May move on only while nothing has reached the caller. */
import { FAULT_RULES, type Fault, faultOf, GatewayError, MAY_REPEAT } from '@trivium/protocol/canonical';
import { refusesSeals } from '@trivium/protocol/dialects';
import { Attempt, type AttemptPorts } from './attempt.ts';
import { chooseLane, type Lane, laneWithoutSeals } from './lane.ts';
import type { Target } from './ports.ts';
import { type Admitted, type Answered, grow } from './stages.ts';

const GONE = new GatewayError({ kind: 'cancelled', message: 'The caller hung up.' });

export async function dispatch(admitted: Admitted, ports: AttemptPorts, maxAttempts: number): Promise<Answered> {
  let last: unknown;
  let maySpareSeals = true;
  const tries = Math.min(maxAttempts, admitted.plan.length);
  for (let position = 0; position < tries; position++) {
    const target = admitted.plan[position]!;
    let tried = await tryTarget(admitted, target, ports);
    // Once for a request: whoever refuses what bears no seals has another reason.
    if (tried instanceof Failure && tried.lane !== undefined && maySpareSeals && refusesSealsOf(target, tried)) {
      maySpareSeals = false;
      const stripped = laneWithoutSeals(admitted, target, tried.lane);
      if (stripped !== undefined) tried = await tryTarget(admitted, target, ports, stripped);
    }
    if (!(tried instanceof Failure)) return tried;
    last = tried.error;
    const isLate = ports.clock.monotonicMs() - admitted.startedAtMs > ports.limits.totalMs;
    if (isLate || !mayTryElsewhere(admitted, faultOf(last))) break;
  }
  throw last;
}

/** What may not be made twice is tried elsewhere only after proof that nothing was made, or at the caller's own word. */
function mayTryElsewhere({ dialect, headers }: Admitted, { kind, unbegun }: Fault): boolean {
  if (!FAULT_RULES[kind].elsewhere) return false;
  if (MAY_REPEAT[dialect.operation] === 'after any failure' || headers.has('idempotency-key')) return true;
  return unbegun === true || kind === 'unsupported';
}

class Failure {
  readonly error: unknown;
  /** What was sent, if it came to that. */
  readonly lane: Lane | undefined;
  constructor(error: unknown, lane: Lane | undefined) {
    this.error = error;
    this.lane = lane;
  }
}

const refusesSealsOf = ({ dialect }: Target, { error }: Failure): boolean =>
  refusesSeals(dialect.client.sealRefusals, faultOf(error));

/** One attempt, and its line in the record. */
async function tryTarget(
  admitted: Admitted,
  target: Target,
  ports: AttemptPorts,
  stripped?: Lane,
): Promise<Answered | Failure> {
  if (admitted.reply.gone) return new Failure(GONE, undefined);
  const startedAtMs = ports.clock.monotonicMs();
  const record = (laneKind: string, fault?: Fault['kind']): void => {
    admitted.settlement.attempts.push({
      provider: target.provider,
      lane: laneKind,
      ...(fault !== undefined && { fault }),
      ...(stripped !== undefined && { sealsStripped: true }),
      durationMs: ports.clock.monotonicMs() - startedAtMs,
    });
  };
  let lane = stripped;
  try {
    const chosen = stripped ?? chooseLane(admitted, target, ports);
    lane = chosen instanceof Promise ? await chosen : chosen;
    const attempt = new Attempt(admitted, target, lane, ports);
    // A caller who leaves while we wait for the first byte must stop the upstream at once, too.
    admitted.reply.onGone(() => attempt.giveUp(GONE));
    if (admitted.reply.gone) throw GONE;
    await attempt.begin();
    record(lane.kind);
    return grow(admitted, { attempt, losses: lane.losses });
  } catch (error) {
    record(lane?.kind ?? 'none', faultOf(error).kind);
    return new Failure(error, lane);
  }
}
