/** How a request ended, as its settlement records it. */
import type { Fault, Loss } from '@trivium/protocol/canonical';
import type { Bill, Outcome } from '../../kernel/record.ts';
import type { Attempt } from './attempt.ts';

/** A host began to answer: what it produced is charged. */
export function outcomeOf(
  attempt: Attempt,
  how: Outcome['how'],
  fault?: Fault,
  losses: readonly Loss[] = attempt.lane.losses,
  bill: Bill = attempt.bill,
): Outcome {
  return {
    how,
    fault,
    reading: attempt.reading,
    bill,
    provider: attempt.target.provider,
    modelId: attempt.target.modelId,
    lane: attempt.lane.kind,
    laneWhy: attempt.lane.why,
    losses,
    firstByteAtMs: attempt.firstByteAtMs,
  };
}

/** No answer: nothing is charged. The host of the last call is named, so that operators find what failed there. */
export function unansweredOf(last: Attempt | undefined, fault: Fault): Outcome {
  const how = fault.kind === 'cancelled' ? 'gone' : 'fault';
  if (last === undefined) return { how, fault };
  const { target, lane } = last;
  return { how, fault, provider: target.provider, modelId: target.modelId, lane: lane.kind, laneWhy: lane.why };
}
