/** Which of two hosts serves a wish better, by what the catalogue knows and calls have shown. Negative: the first. */
import type { Factor } from '@trivium/protocol/canonical';
import type { RouteFacts } from './candidate.ts';
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

/** A price nobody knows may be any price: it comes last. */
export function byCost(one: bigint | undefined, other: bigint | undefined): number {
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

/** Far above every real time, so that two of them still differ by nothing. */
const NOT_NOW = Number.MAX_SAFE_INTEGER;

/** Whoever was never measured is tried once before anybody else; while that goes on, others wait for the result. */
export const speedOf = ({ firstTokenMs, waiting }: RouteObservation): number =>
  firstTokenMs ?? (waiting === 0 ? -1 : NOT_NOW);
