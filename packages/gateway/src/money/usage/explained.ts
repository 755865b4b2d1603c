/** An event as its account may read it: without the parts for operators only. */
import type { ExplainedRequest } from '../../kernel/record.ts';
import { formatNanoUsd } from '../../kernel/usd.ts';
import type { UsageEvent } from './event.ts';

/** An exact decimal; null if there is no bill, or a part of it has no price. */
const costUsdOf = ({ priceVersion, costNano, details }: UsageEvent): string | null =>
  priceVersion === null || details.unpriced.length > 0 ? null : formatNanoUsd(BigInt(costNano));

export function explainedOf(event: UsageEvent): ExplainedRequest {
  const { requestId, receivedAtMs, protocol, modelId, askedModel, provider, outcome, details } = event;
  const { stream, lane, laneWhy, losses, usage, suspect, attempts, decision, leftOut } = details;
  return {
    requestId,
    receivedAtMs,
    protocol,
    modelId: modelId === '' ? (askedModel ?? '') : modelId,
    stream,
    provider,
    outcome,
    lane,
    laneWhy,
    losses,
    usage,
    usageBasis: event.priceVersion !== null && !event.estimated ? 'reported' : 'estimated',
    suspect,
    costUsd: costUsdOf(event),
    firstByteMs: event.firstByteMs,
    durationMs: event.durationMs,
    attempts,
    decision: decision && { ...decision, leftOut },
  };
}
