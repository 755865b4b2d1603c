/** Which of two hosts of a model serves a wish better, by what the catalogue knows. Negative: the first. */
import type { Factor } from '@trivium/protocol/canonical';
import type { RouteFacts } from './plan.ts';

export function byFactor(factor: Factor, one: RouteFacts, other: RouteFacts): number {
  switch (factor) {
    case 'cost':
      return byCost(one.picoUsd, other.picoUsd);
    case 'quality':
      return byQuality(one, other);
    case 'speed':
      // Not a fact of the catalogue: it has to be measured.
      return 0;
  }
}

/** A price nobody knows may be any price: it comes last. */
function byCost(one: bigint | undefined, other: bigint | undefined): number {
  if (one === other) return 0;
  if (one === undefined) return 1;
  if (other === undefined) return -1;
  return one < other ? -1 : 1;
}

/** The model as its maker runs it, then whoever cuts it least. */
const byQuality = (one: RouteFacts, other: RouteFacts): number =>
  Number(other.isMaker) - Number(one.isMaker) ||
  other.contextLength - one.contextLength ||
  other.maxOutputTokens - one.maxOutputTokens;
