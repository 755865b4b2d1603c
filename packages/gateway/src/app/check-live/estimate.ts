/** What a question can cost at most: its input and its maximum output, at the highest rates that may apply. */
import type { TextCall } from '@trivium/protocol/canonical';
import { ESTIMATE_MARGIN, estimateInputTokens } from '@trivium/protocol/dialects';
import type { Target } from '../../kernel/target.ts';
import { type HoldAsk, holdNanoUsd, missingPrices } from '../../money/prices/hold.ts';

/** Undefined: a part of it has no price, so it is not asked. */
export function mostNanoUsd(target: Target, call: TextCall): bigint | undefined {
  const { client } = target.dialect as { readonly client: { reasoningBesideCap?(facts: Target['facts']): boolean } };
  const cap = call.sampling.maxOutputTokens ?? 0;
  const outputTokens =
    client.reasoningBesideCap?.(target.facts) === true ? (target.facts.model.maxOutputTokens ?? cap) : cap;
  const hold: HoldAsk = { inputTokens: ESTIMATE_MARGIN * estimateInputTokens(call), outputTokens };
  const rates = target.card.rates();
  return missingPrices(rates, hold).length > 0 ? undefined : holdNanoUsd(rates, hold);
}
