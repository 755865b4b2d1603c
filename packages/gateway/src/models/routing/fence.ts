/**
 * Which hosts a request may be sent to at all, and why not to the others. A data-handling requirement is met only if
 * the host is known to meet it: unknown does not count. Pure.
 */

import type { RouteFacts, WhyLeftOut } from '../../kernel/route.ts';
import type { Fence, PriceCeiling, RouteCandidate } from './candidate.ts';

/** Undefined if the request may be sent to the host. */
export function whyOutside({ provider, route }: RouteCandidate, fence: Fence): WhyLeftOut | undefined {
  const { providers, only, ignore, regions } = fence;
  const isNamed = (list: readonly string[] | undefined): boolean => list === undefined || list.includes(provider);
  if (!isNamed(providers) || !isNamed(only)) return 'not-among-providers';
  if (ignore?.includes(provider) === true) return 'ignored';
  if (fence.noTraining === true && route.trains !== false) return 'may-train';
  if (
    fence.retentionDays !== undefined &&
    !(route.retentionDays !== undefined && route.retentionDays <= fence.retentionDays)
  )
    return 'may-retain';
  if (regions !== undefined && (route.region === undefined || !regions.includes(route.region))) return 'other-region';
  return fence.maxPrice !== undefined && exceedsCeiling(route, fence.maxPrice) ? 'too-dear' : undefined;
}

const PICO = 1e12;

/** An unknown price may be any price, so it exceeds every ceiling. */
function exceedsCeiling(route: RouteFacts, { promptUsdPerMillion, completionUsdPerMillion }: PriceCeiling): boolean {
  const exceeds = (picoUsd: bigint | undefined, most: number | undefined): boolean =>
    most !== undefined && (picoUsd === undefined || Number(picoUsd) / PICO > most);
  return exceeds(route.promptPicoUsd, promptUsdPerMillion) || exceeds(route.completionPicoUsd, completionUsdPerMillion);
}
