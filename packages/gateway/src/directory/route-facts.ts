/** What routing may know of an endpoint from the catalogue alone. */
import type { Endpoint, ExactPrices, Model } from '../catalogue/model.ts';
import type { RouteFacts } from '../routing/plan.ts';

/** Conversations send back what was said before: about three tokens go in for one that comes out. */
const PROMPT_SHARE = 3n;

/** `atHome`: the host makes models of its own; some go by another name than the owner, and stand first. */
export const routeFacts = (model: Model, endpoint: Endpoint, atHome: boolean): RouteFacts => ({
  isMaker: atHome && (endpoint.provider === model.owner || model.endpoints[0] === endpoint),
  picoUsd: blended(endpoint.prices, model.embedding !== undefined),
  contextLength: endpoint.contextLength ?? model.contextLength ?? 0,
  maxOutputTokens: endpoint.maxOutputTokens ?? model.maxOutputTokens ?? 0,
});

function blended(prices: ExactPrices, onlyReads: boolean): bigint | undefined {
  const prompt = perToken(prices, 'prompt');
  const completion = onlyReads ? 0n : perToken(prices, 'completion');
  return prompt === undefined || completion === undefined ? undefined : PROMPT_SHARE * prompt + completion;
}

/** The first row: where prices have tiers, the one for short prompts. */
const perToken = (prices: ExactPrices, kind: 'prompt' | 'completion'): bigint | undefined =>
  prices[kind]?.find(({ unit }) => unit === 'perMTokens')?.picoUsd;
