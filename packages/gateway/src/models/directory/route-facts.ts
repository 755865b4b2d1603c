/** What routing knows of an endpoint before any call, from the catalogue and the operator's settings. */
import { type PriceKind, readsAlone } from '@trivium/protocol/canonical';
import type { ExactPrices } from '../../kernel/price.ts';
import type { RouteFacts } from '../../kernel/route.ts';
import type { DataFacts, Endpoint, Model } from '../catalogue/model.ts';
import { PROMPT_SHARE } from '../routing/cache-economy.ts';

/** `atHome`: the host makes its own models; some have another name than the owner, and are listed first. */
export const routeFacts = (model: Model, endpoint: Endpoint, atHome: boolean, host: DataFacts = {}): RouteFacts => ({
  isMaker: atHome && (endpoint.provider === model.owner || model.endpoints[0] === endpoint),
  picoUsd: blended(endpoint.prices, readsAlone(model.outputModalities)),
  promptPicoUsd: perToken(endpoint.prices, 'prompt'),
  completionPicoUsd: perToken(endpoint.prices, 'completion'),
  cacheReadPicoUsd: perToken(endpoint.prices, 'input_cache_read'),
  contextLength: endpoint.contextLength ?? model.contextLength ?? 0,
  maxOutputTokens: endpoint.maxOutputTokens ?? model.maxOutputTokens ?? 0,
  // The operator's own agreement with a host takes precedence over the catalogue.
  region: host.region ?? endpoint.region,
  retentionDays: host.retentionDays ?? endpoint.retentionDays,
  trains: host.trains ?? endpoint.trains,
});

function blended(prices: ExactPrices, onlyReads: boolean): bigint | undefined {
  const prompt = perToken(prices, 'prompt');
  const completion = onlyReads ? 0n : perToken(prices, 'completion');
  return prompt === undefined || completion === undefined ? undefined : PROMPT_SHARE * prompt + completion;
}

/** The first row: if prices have tiers, the one for short prompts. */
const perToken = (prices: ExactPrices, kind: PriceKind): bigint | undefined =>
  prices[kind]?.find(({ unit }) => unit === 'perMTokens')?.picoUsd;
