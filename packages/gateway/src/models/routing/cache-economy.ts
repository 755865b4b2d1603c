/** Is a cached prompt worth more than another host's lower price? Decided by prices alone. */
import type { RouteFacts } from '../../kernel/route.ts';

/** Conversations send the history again: about three input tokens for each output token. */
export const PROMPT_SHARE = 3n;

/** What a cached prompt saves at its host, on the scale of `picoUsd`. */
function cacheSaving({ promptPicoUsd, cacheReadPicoUsd }: RouteFacts): bigint {
  if (promptPicoUsd === undefined || cacheReadPicoUsd === undefined) return 0n;
  return PROMPT_SHARE * (promptPicoUsd - cacheReadPicoUsd);
}

/**
 * Does another host's lower price outweigh the cache of the host that holds it? If a price is unknown they cannot be
 * compared, and the cache is at least faster; a caller who asked for the lowest cost gets the known price.
 */
export function outweighsTheCache(holder: RouteFacts, other: RouteFacts, isAboutMoney: boolean): boolean {
  if (holder.picoUsd === undefined || other.picoUsd === undefined) return isAboutMoney;
  return holder.picoUsd - other.picoUsd > cacheSaving(holder);
}
