/** Is a cached prompt worth staying for? Decided by price rows alone. */
import type { RouteFacts } from './candidate.ts';

/** Conversations send back what was said before: about three tokens go in for one that comes out. */
export const PROMPT_SHARE = 3n;

/** What a cached prompt saves at its host, in the measure of `picoUsd`. */
function cacheSaving({ promptPicoUsd, cacheReadPicoUsd }: RouteFacts): bigint {
  if (promptPicoUsd === undefined || cacheReadPicoUsd === undefined) return 0n;
  return PROMPT_SHARE * (promptPicoUsd - cacheReadPicoUsd);
}

/**
 * Does another host's lower price outweigh the cache of the one that holds it? Where a price is unknown there is no gap
 * to speak of, and the cache is at least quicker; a caller who asked for the lowest cost gets the price that is known.
 */
export function outweighsTheCache(holder: RouteFacts, other: RouteFacts, isAboutMoney: boolean): boolean {
  if (holder.picoUsd === undefined || other.picoUsd === undefined) return isAboutMoney;
  return holder.picoUsd - other.picoUsd > cacheSaving(holder);
}
