/** The order within one group of hosts: by the routing preferences, else as given with the faster ones earlier. */
import { byFactor, speedOf } from './by-factor.ts';
import { outweighsTheCache } from './cache-economy.ts';
import type { PlanPreferences, RouteCandidate } from './candidate.ts';
import type { RouteObservation, RoutingSnapshot } from './snapshot.ts';

export function orderGroup<C extends RouteCandidate>(
  group: readonly C[],
  preferences: PlanPreferences,
  snapshot: RoutingSnapshot<C>,
): readonly C[] {
  if (group.length < 2) return group;
  const { first, last } = preferences;
  if (last !== undefined) {
    const { last: _, ...others } = preferences;
    const isLast = ({ provider }: C): boolean => provider === last;
    return [
      ...orderGroup(
        group.filter((candidate) => !isLast(candidate)),
        others,
        snapshot,
      ),
      ...group.filter(isLast),
    ];
  }
  const ordered = orderedByPreference(group, preferences, snapshot);
  if (first === undefined) return ordered;
  const isFirst = ({ provider }: C): boolean => first.includes(provider);
  return [
    ...ordered.filter(isFirst).sort((one, other) => first.indexOf(one.provider) - first.indexOf(other.provider)),
    ...ordered.filter((candidate) => !isFirst(candidate)),
  ];
}

function orderedByPreference<C extends RouteCandidate>(
  group: readonly C[],
  preferences: PlanPreferences,
  snapshot: RoutingSnapshot<C>,
): readonly C[] {
  const { strategy, factor, providers, weights } = preferences;
  if (weights !== undefined) return byWeight(group, weights, snapshot.draw);
  const sorted = sortedByPreference(group, preferences, snapshot);
  if (strategy === 'round_robin') return rotated(sorted, snapshot.turn);
  const isListed = providers !== undefined && factor === undefined;
  if (strategy === 'least_latency') return stayingWithTheCache(leastLatency(sorted, snapshot), snapshot, false);
  // The caller or operator listed an order, or asked for something a cache does not give.
  if (strategy === 'priority' || isListed || factor === 'speed' || factor === 'quality') return sorted;
  return stayingWithTheCache(sorted, snapshot, factor === 'cost');
}

/** The sort is stable: equal candidates keep the catalogue's order, which has a model's maker first. */
function sortedByPreference<C extends RouteCandidate>(
  group: readonly C[],
  { strategy, factor, providers }: PlanPreferences,
  { seenOf }: RoutingSnapshot<C>,
): readonly C[] {
  if (providers !== undefined && (factor === undefined || strategy === 'priority'))
    return group.toSorted((one, other) => providers.indexOf(one.provider) - providers.indexOf(other.provider));
  if (factor !== undefined) {
    const rated = group.map((candidate) => ({ candidate, route: candidate.route, seen: seenOf(candidate) }));
    return rated.sort((one, other) => byFactor(factor, one, other)).map(({ candidate }) => candidate);
  }
  return strategy === undefined ? quickerEarlier(group, seenOf) : group;
}

/**
 * The first host is drawn by the shares of those present; the others follow from the largest share down, those without
 * one last. By host, as below.
 */
function byWeight<C extends RouteCandidate>(
  group: readonly C[],
  weights: ReadonlyMap<string, number>,
  draw: number,
): readonly C[] {
  const shareOf = (host: string): number => weights.get(host) ?? 0;
  const hosts = [...new Set(group.map(({ provider }) => provider))];
  let left = draw * hosts.reduce((sum, host) => sum + shareOf(host), 0);
  const drawn = hosts.find((host) => {
    left -= shareOf(host);
    return left < 0;
  });
  const place = (host: string): number => (host === drawn ? Number.POSITIVE_INFINITY : shareOf(host));
  return group.toSorted((one, other) => {
    const [first, second] = [place(one.provider), place(other.provider)];
    return first === second ? 0 : second - first;
  });
}

/** By host, so that a host with two wire formats gets no second share. */
function rotated<C extends RouteCandidate>(group: readonly C[], turn: number): readonly C[] {
  const hosts = [...new Set(group.map(({ provider }) => provider))];
  const place = ({ provider }: C): number =>
    (hosts.indexOf(provider) - (turn % hosts.length) + hosts.length) % hosts.length;
  return group.toSorted((one, other) => place(one) - place(other));
}

/** Latencies below this (in ms) count as equal; above it, each doubling is another class. */
const QUICK_MS = 250;

const latencyClass = ({ firstTokenMs = 0 }: RouteObservation): number =>
  firstTokenMs < QUICK_MS ? 0 : Math.floor(Math.log2(firstTokenMs / QUICK_MS)) + 1;

/** The first stays first: the maker, or the host the operator listed there. Behind it only clear differences count. */
function quickerEarlier<C extends RouteCandidate>(
  group: readonly C[],
  seenOf: RoutingSnapshot<C>['seenOf'],
): readonly C[] {
  const [first, ...others] = group;
  if (first === undefined || others.length < 2) return group;
  const classes = new Map(others.map((candidate) => [candidate, latencyClass(seenOf(candidate))]));
  return [first, ...others.sort((one, other) => (classes.get(one) ?? 0) - (classes.get(other) ?? 0))];
}

/**
 * Power of two choices: of two random hosts the better one is tried, nearly as good as the best of all, without sending
 * all requests to the same host at once. A host that was never measured comes before the draw.
 */
function leastLatency<C extends RouteCandidate>(
  group: readonly C[],
  { draw, seenOf }: RoutingSnapshot<C>,
): readonly C[] {
  const rated = group
    .map((candidate) => ({ candidate, loadedMs: loadedMs(seenOf(candidate)) }))
    .sort((one, other) => one.loadedMs - other.loadedMs || 0);
  const order = rated.map(({ candidate }) => candidate);
  if (rated[0]!.loadedMs < 0) return order;
  // Sorted: the better of two is the one further in front, so only its index matters.
  const places = draw * order.length;
  const one = Math.floor(places);
  const other = (one + 1 + Math.floor((places - one) * (order.length - 1))) % order.length;
  return inFront(order, order[Math.min(one, other)]!);
}

/** Expected time to first token in ms if all requests waiting there are served in turn. */
const loadedMs = (seen: RouteObservation): number =>
  seen.firstTokenMs === undefined ? speedOf(seen) : seen.firstTokenMs * (seen.waiting + 1);

function stayingWithTheCache<C extends RouteCandidate>(
  order: readonly C[],
  { holder }: RoutingSnapshot<C>,
  isAboutMoney: boolean,
): readonly C[] {
  if (holder === undefined) return order;
  const [first] = order;
  const cached = order.find(({ routeKey }) => routeKey === holder);
  if (first === undefined || cached === undefined || cached === first) return order;
  return outweighsTheCache(cached.route, first.route, isAboutMoney) ? order : inFront(order, cached);
}

const inFront = <C>(order: readonly C[], chosen: C): readonly C[] => [
  chosen,
  ...order.filter((candidate) => candidate !== chosen),
];
