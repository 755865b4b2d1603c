/** What else happens to an answer on its way: seals are remembered, stop sequences looked for. */
import type { Produced, Usage } from '@trivium/protocol/canonical';
import { estimateOutputTokens } from '@trivium/protocol/dialects';
import { StopWatch } from '@trivium/protocol/stream';
import { estimateInput } from './bill.ts';
import type { Lane } from './lane.ts';
import type { SealMemory } from './ports.ts';
import type { AnswerPasses } from './pump.ts';
import { SealTap } from './recall-seals.ts';
import type { Planned } from './stages.ts';

/** Undefined for most answers: nobody watches them then. */
export function passesOf(planned: Planned, lane: Lane, memory: SealMemory | undefined): AnswerPasses | undefined {
  const { watchFor = [] } = lane;
  const tap =
    lane.keepsSeals === true && memory !== undefined ? new SealTap(memory, planned.caller.accountId) : undefined;
  if (tap === undefined && watchFor.length === 0) return undefined;
  const estimate = (shown: Produced): Usage => ({
    prompt: estimateInput(planned),
    completion: estimateOutputTokens(shown),
  });
  return {
    ...(tap !== undefined && { tap }),
    ...(watchFor.length > 0 && { stops: new StopWatch(watchFor, estimate) }),
  };
}
