/** Tries the plan's targets in turn until one answers. May move on only while nothing has reached the caller. */
import { FAULT_RULES, faultOf, GatewayError } from '@trivium/protocol/canonical';
import { Attempt, type AttemptPorts } from './attempt.ts';
import { chooseLane } from './lane.ts';
import { type Admitted, type Answered, grow } from './stages.ts';

const GONE = new GatewayError({ kind: 'cancelled', message: 'The caller hung up.' });

export async function dispatch(admitted: Admitted, ports: AttemptPorts, maxAttempts: number): Promise<Answered> {
  let last: unknown;
  for (const target of admitted.plan.slice(0, maxAttempts)) {
    if (admitted.reply.gone) throw GONE;
    const startedAtMs = ports.clock.monotonicMs();
    let laneKind = 'none';
    try {
      const lane = chooseLane(admitted, target);
      laneKind = lane.kind;
      const attempt = new Attempt(admitted, target, lane, ports);
      await beginUnlessGone(admitted, attempt);
      admitted.settlement.attempts.push({
        provider: target.provider,
        lane: lane.kind,
        durationMs: ports.clock.monotonicMs() - startedAtMs,
      });
      return grow(admitted, { attempt, losses: lane.losses });
    } catch (error) {
      last = error;
      const { kind } = faultOf(error);
      admitted.settlement.attempts.push({
        provider: target.provider,
        lane: laneKind,
        fault: kind,
        durationMs: ports.clock.monotonicMs() - startedAtMs,
      });
      if (!FAULT_RULES[kind].elsewhere) break;
    }
  }
  throw last;
}

/** A caller who leaves while we wait for the first byte must stop the upstream at once, too. */
function beginUnlessGone({ reply }: Admitted, attempt: Attempt): Promise<void> {
  return new Promise((resolve, reject) => {
    reply.onGone(() => {
      attempt.abort();
      reject(GONE);
    });
    if (reply.gone) reject(GONE);
    else attempt.begin().then(resolve, reject);
  });
}
