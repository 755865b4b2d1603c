import type { Fit, WhyLeftOut } from '../../kernel/route.ts';
import type { PlanPreferences, RouteCandidate } from './candidate.ts';
import { whyOutside } from './fence.ts';
import { inService } from './observed.ts';
import { orderGroup } from './order-group.ts';
import type { RoutingSnapshot } from './snapshot.ts';

export type Plan<C> = {
  readonly order: readonly C[];
  readonly leftOut: readonly { readonly candidate: C; readonly why: WhyLeftOut }[];
};

/** Hosts of an earlier group come first; within a group the preferences decide, then the given order. */
export function planRoute<C extends RouteCandidate>(
  groups: readonly (readonly C[])[],
  preferences: PlanPreferences,
  snapshot: RoutingSnapshot<C>,
): Plan<C> {
  const leftOut: { candidate: C; why: WhyLeftOut }[] = [];
  const leaveOut = (candidates: readonly C[], why: WhyLeftOut): void => {
    for (const candidate of candidates) leftOut.push({ candidate, why });
  };
  const allowed: C[] = [];
  for (const candidate of groups.flat()) {
    const why = whyOutside(candidate, preferences);
    if (why === undefined) allowed.push(candidate);
    else leaveOut([candidate], why);
  }
  const { large, short } = byRoom(allowed, snapshot.roomOf);
  leaveOut(short, 'context-too-short');
  const { stay, ejected } = inService(large, snapshot.seenOf);
  leaveOut(ejected, 'ejected');
  const order: C[] = [];
  const unable: C[] = [];
  for (const group of surelyFittingFirst(groups, snapshot.roomOf)) {
    const ordered = orderGroup(
      group.filter((candidate) => stay.includes(candidate)),
      preferences,
      snapshot,
    );
    // Hosts behind a group that can serve are judged only when failover reaches them.
    const { able, cannot } = losslessFirst(ordered, order.length === 0 ? snapshot.fitOf : undefined);
    order.push(...able);
    unable.push(...cannot);
  }
  // If no host can serve the request, the first one's error says why.
  if (order.length === 0) order.push(...unable);
  else leaveOut(unable, 'cannot-carry');
  return withFallback(order, preferences, leaveOut, leftOut);
}

/** If no context is long enough by our estimate, all hosts stay: the host's own count decides. */
function byRoom<C>(
  candidates: readonly C[],
  roomOf: RoutingSnapshot<C>['roomOf'],
): { large: readonly C[]; short: readonly C[] } {
  if (roomOf === undefined) return { large: candidates, short: [] };
  const large = candidates.filter((candidate) => roomOf(candidate) !== 'exceeds');
  if (large.length === 0) return { large: candidates, short: [] };
  return { large, short: candidates.filter((candidate) => !large.includes(candidate)) };
}

/** A host that may turn out too small comes last, behind other models, too. */
function surelyFittingFirst<C>(groups: readonly (readonly C[])[], roomOf: RoutingSnapshot<C>['roomOf']): typeof groups {
  if (roomOf === undefined) return groups;
  const parts = (isSure: boolean): typeof groups =>
    groups.map((group) => group.filter((candidate) => (roomOf(candidate) === 'fits') === isSure));
  return [...parts(true), ...parts(false)];
}

/**
 * A host that would drop something comes after one that keeps it. Judging a host costs about as much as writing the
 * request for it, so it stops at the first that keeps everything.
 */
function losslessFirst<C>(
  order: readonly C[],
  fitOf: ((candidate: C) => Fit) | undefined,
): { readonly able: readonly C[]; readonly cannot: readonly C[] } {
  if (fitOf === undefined) return { able: order, cannot: [] };
  const losing: C[] = [];
  const cannot: C[] = [];
  for (const [position, candidate] of order.entries()) {
    const fit = fitOf(candidate);
    if (fit === 'keeps') return { able: [...order.slice(position), ...losing], cannot };
    (fit === 'loses' ? losing : cannot).push(candidate);
  }
  return { able: losing, cannot };
}

function withFallback<C extends RouteCandidate>(
  allowed: readonly C[],
  { fallback = 'true' }: PlanPreferences,
  leaveOut: (candidates: readonly C[], why: WhyLeftOut) => void,
  leftOut: Plan<C>['leftOut'],
): Plan<C> {
  if (fallback === 'true') return { order: allowed, leftOut };
  const order = allowed.filter(({ provider }, position) => position === 0 || provider === fallback);
  leaveOut(
    allowed.filter((candidate) => !order.includes(candidate)),
    fallback === 'false' ? 'no-fallback' : 'not-the-fallback',
  );
  return { order, leftOut };
}
