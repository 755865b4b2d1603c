/** Compares two hosts by a routing factor, from catalogue facts and observed calls. Negative: the first is better. */
import type { Factor } from '@trivium/protocol/canonical';
import type { RouteFacts } from '../../kernel/route.ts';
import type { RouteObservation } from './snapshot.ts';

export type Rated = { readonly route: RouteFacts; readonly seen: RouteObservation };

export function byFactor(factor: Factor, one: Rated, other: Rated): number {
  switch (factor) {
    case 'cost':
      return byCost(one.route.picoUsd, other.route.picoUsd);
    case 'quality':
      return byQuality(one.route, other.route);
    case 'speed':
      return speedOf(one.seen) - speedOf(other.seen) || 0;
  }
}

/** An unknown price may be any price: it sorts last. */
export function byCost(one: bigint | undefined, other: bigint | undefined): number {
  if (one === other) return 0;
  if (one === undefined) return 1;
  if (other === undefined) return -1;
  return one < other ? -1 : 1;
}

/** The model's maker first, then the host with the longest context and output. */
const byQuality = (one: RouteFacts, other: RouteFacts): number =>
  Number(other.isMaker) - Number(one.isMaker) ||
  other.contextLength - one.contextLength ||
  other.maxOutputTokens - one.maxOutputTokens;

/** Above every real time; two of them compare as equal. */
const NOT_NOW = Number.MAX_SAFE_INTEGER;

/** A host that was never measured is tried once before all others; while that call runs, other calls avoid it. */
export const speedOf = ({ firstTokenMs, waiting }: RouteObservation): number =>
  firstTokenMs ?? (waiting === 0 ? -1 : NOT_NOW);
