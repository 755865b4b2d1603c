/** Tries the plan's targets in turn until one answers. May move on only while nothing has reached the caller. */
import { FAULT_RULES, faultOf, GatewayError } from '@trivium/protocol/canonical';
import { refusesSeals } from '@trivium/protocol/dialects';
import { Attempt, type AttemptPorts } from './attempt.ts';
import { chooseLane, type Lane, laneWithoutSeals } from './lane.ts';
import type { Target } from './ports.ts';
import { type Admitted, type Answered, grow } from './stages.ts';

const GONE = new GatewayError({ kind: 'cancelled', message: 'The caller hung up.' });

export async function dispatch(admitted: Admitted, ports: AttemptPorts, maxAttempts: number): Promise<Answered> {
  let last: unknown;
  let maySpareSeals = true;
  for (const target of admitted.plan.slice(0, maxAttempts)) {
    try {
      return await tryTarget(admitted, target, ports, chooseLane, false);
    } catch (error) {
      last = error;
    }
    // Once for a request: whoever refuses what bears no seals has another reason.
    if (maySpareSeals && refusesSeals(target.dialect.client.sealRefusals, faultOf(last))) {
      maySpareSeals = false;
      const stripped = laneWithoutSeals(admitted, target);
      if (stripped !== undefined)
        try {
          return await tryTarget(admitted, target, ports, () => stripped, true);
        } catch (error) {
          last = error;
        }
    }
    if (!FAULT_RULES[faultOf(last).kind].elsewhere) break;
  }
  throw last;
}

/** One attempt, and its line in the record. */
async function tryTarget(
  admitted: Admitted,
  target: Target,
  ports: AttemptPorts,
  choose: (admitted: Admitted, target: Target) => Lane,
  sealsStripped: boolean,
): Promise<Answered> {
  if (admitted.reply.gone) throw GONE;
  const startedAtMs = ports.clock.monotonicMs();
  const { attempts } = admitted.settlement;
  const stripped = sealsStripped && { sealsStripped };
  let laneKind = 'none';
  try {
    const lane = choose(admitted, target);
    laneKind = lane.kind;
    const attempt = new Attempt(admitted, target, lane, ports);
    await beginUnlessGone(admitted, attempt);
    const durationMs = ports.clock.monotonicMs() - startedAtMs;
    attempts.push({ provider: target.provider, lane: lane.kind, ...stripped, durationMs });
    return grow(admitted, { attempt, losses: lane.losses });
  } catch (error) {
    const durationMs = ports.clock.monotonicMs() - startedAtMs;
    attempts.push({ provider: target.provider, lane: laneKind, fault: faultOf(error).kind, ...stripped, durationMs });
    throw error;
  }
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
