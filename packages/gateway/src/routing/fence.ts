/**
 * Which hosts a request may be sent to at all, and why not to the others. What is asked of a host's handling of data holds only
 * where it is known to hold: unknown is not "no". Pure.
 */
import type { Candidate, RouteFacts, WhyLeftOut } from './plan.ts';

export type Fence = {
  readonly providers?: readonly string[] | undefined;
  readonly only?: readonly string[] | undefined;
  readonly ignore?: readonly string[] | undefined;
  readonly maxPrice?: MaxPrice | undefined;
  readonly noTraining?: boolean | undefined;
  readonly zeroRetention?: boolean | undefined;
  readonly regions?: readonly string[] | undefined;
};

/** By the catalogue's prices, in USD for a million tokens. */
export type MaxPrice = { readonly promptUsdPerMillion?: number; readonly completionUsdPerMillion?: number };

/** Undefined where the host may be asked. */
export function whyOutside({ provider, route }: Candidate, fence: Fence): WhyLeftOut | undefined {
  const { providers, only, ignore, regions } = fence;
  const isNamed = (list: readonly string[] | undefined): boolean => list === undefined || list.includes(provider);
  if (!isNamed(providers) || !isNamed(only)) return 'not-among-providers';
  if (ignore?.includes(provider) === true) return 'ignored';
  if (fence.noTraining === true && route.trains !== false) return 'may-train';
  if (fence.zeroRetention === true && route.retentionDays !== 0) return 'may-retain';
  if (regions !== undefined && (route.region === undefined || !regions.includes(route.region))) return 'other-region';
  return fence.maxPrice !== undefined && isDearer(route, fence.maxPrice) ? 'too-dear' : undefined;
}

const PICO = 1e12;

/** An unknown price may be any price. */
function isDearer(route: RouteFacts, { promptUsdPerMillion, completionUsdPerMillion }: MaxPrice): boolean {
  const exceeds = (picoUsd: bigint | undefined, most: number | undefined): boolean =>
    most !== undefined && (picoUsd === undefined || Number(picoUsd) / PICO > most);
  return exceeds(route.promptPicoUsd, promptUsdPerMillion) || exceeds(route.completionPicoUsd, completionUsdPerMillion);
}
