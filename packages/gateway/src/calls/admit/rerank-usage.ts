/** What reranking is charged by: search units or tokens, whichever its host sells, and our own count where it reports none. */
import type { Usage } from '@trivium/protocol/canonical';
import type { RerankOptions } from '@trivium/protocol/dialects';
import type { Rates } from '../../kernel/price.ts';
import type { HoldAsk } from '../../money/prices/hold.ts';
import { rerankTokenLimit, type UsageLimit, unitLimit } from '../../money/prices/plausible.ts';

export type Filled = {
  readonly usage: Usage;
  readonly estimated: boolean;
  /** The output tokens are our own count. */
  readonly outputEstimated: boolean;
};

const isPricedByUnits = (rates: Rates | undefined): boolean => rates?.byMeter.searchUnits !== undefined;

/** Only the measure that its host sells is charged, and it is never missing: it would be charged as nothing. */
export function filledRerank(asked: RerankOptions, usage: Usage, rates: Rates | undefined): Filled {
  const { searchUnits = asked.estimatedUnits, prompt = asked.estimatedTokens } = usage;
  const charged: Usage = isPricedByUnits(rates) ? { searchUnits } : { prompt };
  const estimated = isPricedByUnits(rates) ? usage.searchUnits === undefined : usage.prompt === undefined;
  return { usage: charged, estimated, outputEstimated: false };
}

/**
 * The most it is charged, whatever its host reports, in the measure it sells. Without a price tokens are asked for, and
 * found to have none.
 */
export const rerankAsk = (asked: RerankOptions, rates: Rates): HoldAsk =>
  isPricedByUnits(rates)
    ? { inputTokens: 0, outputTokens: 0, others: { searchUnits: asked.mostUnits } }
    : { inputTokens: rerankTokenLimit(asked.estimatedTokens, asked.documents).tolerated, outputTokens: 0 };

export const rerankLimits = ({ estimatedTokens, documents, mostUnits }: RerankOptions): readonly UsageLimit[] => [
  rerankTokenLimit(estimatedTokens, documents),
  unitLimit(mostUnits),
];
