/**
 * Which hosts to ask, in which order. Pure: equal inputs give equal plans, whoever is left out is told why, and a plan is
 * empty only where the wishes allow nobody.
 */
import type { Factor, Strategy } from '@trivium/protocol/canonical';
import { byFactor } from './by-factor.ts';
import { inService, type Observed, UNOBSERVED } from './observed.ts';

/** What is known of a model at a host before anybody has asked it. */
export type RouteFacts = {
  /** The host is the model's own maker. */
  readonly isMaker: boolean;
  /** A prompt and an answer in one figure; undefined where the host is not priced. */
  readonly picoUsd: bigint | undefined;
  readonly contextLength: number;
  readonly maxOutputTokens: number;
};

export type Candidate = { readonly provider: string; readonly route: RouteFacts };

export type PlanWishes = {
  readonly strategy?: Strategy | undefined;
  readonly factor?: Factor | undefined;
  /** Nobody else, and in this order where neither strategy nor factor has another. */
  readonly providers?: readonly string[] | undefined;
  /** `true` (the default), `false`, or the one host that may step in. */
  readonly fallback?: string | undefined;
};

export type WhyLeftOut = 'not-among-providers' | 'ejected' | 'no-fallback' | 'not-the-fallback';

export type Plan<C> = {
  readonly order: readonly C[];
  readonly leftOut: readonly { readonly candidate: C; readonly why: WhyLeftOut }[];
};

/** Whoever stands in an earlier group comes first; within a group the wishes decide, then the order given. */
export function planRoute<C extends Candidate>(
  groups: readonly (readonly C[])[],
  wishes: PlanWishes,
  turn: number,
  observedOf: (candidate: C) => Observed = () => UNOBSERVED,
): Plan<C> {
  const { providers, fallback = 'true' } = wishes;
  const leftOut: { candidate: C; why: WhyLeftOut }[] = [];
  const allowed: C[] = [];
  for (const group of groups) {
    const own = group.filter(({ provider }) => providers === undefined || providers.includes(provider));
    for (const candidate of group)
      if (!own.includes(candidate)) leftOut.push({ candidate, why: 'not-among-providers' });
    allowed.push(...ordered(own, wishes, turn));
  }
  const { stay, ejected } = inService(allowed, observedOf);
  for (const candidate of ejected) leftOut.push({ candidate, why: 'ejected' });
  if (fallback === 'true') return { order: stay, leftOut };
  const order: C[] = [];
  for (const candidate of stay) {
    if (order.length === 0 || candidate.provider === fallback) order.push(candidate);
    else leftOut.push({ candidate, why: fallback === 'false' ? 'no-fallback' : 'not-the-fallback' });
  }
  return { order, leftOut };
}

function ordered<C extends Candidate>(group: readonly C[], wishes: PlanWishes, turn: number): readonly C[] {
  const { strategy, factor, providers } = wishes;
  const listDecides = providers !== undefined && (factor === undefined || strategy === 'priority');
  const place = ({ provider }: C): number => providers?.indexOf(provider) ?? 0;
  // Sorting is stable: who is equal keeps the catalogue's order, which has a model's maker first.
  const sorted = listDecides
    ? group.toSorted((one, other) => place(one) - place(other))
    : factor === undefined
      ? group
      : group.toSorted((one, other) => byFactor(factor, one.route, other.route));
  return strategy === 'round_robin' ? rotated(sorted, turn) : sorted;
}

/** By host, so that one with two wire formats gets no second share. */
function rotated<C extends Candidate>(group: readonly C[], turn: number): readonly C[] {
  const hosts = [...new Set(group.map(({ provider }) => provider))];
  const place = ({ provider }: C): number =>
    (hosts.indexOf(provider) - (turn % hosts.length) + hosts.length) % hosts.length;
  return group.toSorted((one, other) => place(one) - place(other));
}
