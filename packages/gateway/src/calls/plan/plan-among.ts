/** A plan where there is a choice: the current state of each host goes into the pure router, and into the record. */
import type { Clock } from '../../kernel/clock.ts';
import type { CacheMemory, Health, LatencyMemory, RoundRobin } from '../../kernel/health.ts';
import type { DecidedBy, LeftOut, Weighed } from '../../kernel/record.ts';
import type { Fit, WhyLeftOut } from '../../kernel/route.ts';
import type { Directory, DirectoryEntry, Target } from '../../kernel/target.ts';
import type { PolicySet } from '../../models/policies/policy-set.ts';
import type { PlanPreferences } from '../../models/routing/candidate.ts';
import { planRoute } from '../../models/routing/plan.ts';
import type { RouteObservation } from '../../models/routing/snapshot.ts';
import type { Foreseen } from '../lane.ts';
import { foresee } from '../lanes/choose-lane.ts';
import type { Planned, Understood } from '../request.ts';
import { type Rooms, roomsFor } from './context-fit.ts';
import { promptOf } from './prompt-key.ts';

/** Draws for one request are independent of one another. */
export type DrawPurpose = 'canary' | 'weights' | 'credential';

export type PlanPorts = {
  readonly directory: Directory;
  readonly turns: RoundRobin;
  readonly health: Health;
  readonly paces: LatencyMemory;
  readonly caches: CacheMemory;
  readonly clock: Clock;
  /** At least 0 and below 1. The purpose matters only where a recorded request is planned again. */
  readonly random: (purpose?: DrawPurpose) => number;
  /** A short hash of a text. */
  readonly digest: (text: string) => string;
  /** At least 0 and below 1, the same for the same text. */
  readonly fractionOf: (text: string) => number;
  /** The operator's routing policies; absent: there are none. */
  readonly policies?: PolicySet | undefined;
  /** The gateway downloads files given by URL for hosts that cannot. */
  readonly fetchesMedia: boolean;
};

/** For plans that are only inspected: round robin does not advance. */
export function withoutTurns<P extends PlanPorts>(ports: P): P {
  const peek = (set: string): number => ports.turns.peek(set);
  return { ...ports, turns: { next: peek, peek } };
}

export type Choice = Pick<Planned, 'plan' | 'leftOut' | 'decidedBy' | 'weighed' | 'prompt' | 'inputBounds'>;

export function planAmong(
  understood: Understood,
  lead: DirectoryEntry,
  groups: readonly (readonly Target[])[],
  preferences: PlanPreferences,
  ports: PlanPorts,
): Choice {
  const targets = groups.flat();
  const seen = snapshot(understood, targets, ports);
  const fits = new Map<number, Fit>();
  const prompt = targets.length > 1 ? promptOf(understood, lead, ports.digest) : undefined;
  const holder = prompt === undefined ? undefined : ports.caches.find(prompt.key, ports.clock.monotonicMs());
  const rooms = targets.length > 1 ? roomsFor(understood, targets) : undefined;
  const { order, leftOut } = planRoute(groups, preferences, {
    turn: preferences.strategy === 'round_robin' ? ports.turns.next(roundOf(targets)) : 0,
    draw:
      preferences.weightsDraw ??
      (preferences.strategy === 'least_latency' || preferences.weights !== undefined ? ports.random('weights') : 0),
    seenOf: (target) => seen.get(target)!,
    fitOf: areAlike(targets) ? undefined : (target) => fitOf(understood, target, ports.fetchesMedia, fits),
    roomOf: rooms?.roomOf,
    holder,
  });
  return {
    plan: order,
    leftOut: leftOut.map(({ candidate, why }) => leftOutOf(candidate, why)),
    decidedBy: { hosts: wordOf(preferences) },
    weighed: order.map((target) => weighedOf(target, seen.get(target)!, fits.get(target.shape), holder, rooms)),
    ...(prompt !== undefined && { prompt }),
    ...(rooms !== undefined && { inputBounds: rooms.bounds }),
  };
}

const leftOutOf = ({ provider, modelId, route }: Target, why: WhyLeftOut): LeftOut => ({
  provider,
  modelId,
  why,
  ...(why === 'context-too-short' && { contextLength: route.contextLength }),
});

const wordOf = ({ strategy, factor, providers, weights }: PlanPreferences): DecidedBy['hosts'] =>
  weights !== undefined ? 'weights' : (strategy ?? factor ?? (providers === undefined ? 'default' : 'list'));

/** Every set of hosts has its own round robin, shared by all callers. */
export const roundOf = (targets: readonly Pick<Target, 'routeKey'>[]): string =>
  targets.map(({ routeKey }) => routeKey).join();

function snapshot(
  { understanding }: Understood,
  targets: readonly Target[],
  { health, paces, clock }: PlanPorts,
): ReadonlyMap<Target, RouteObservation> {
  const nowMs = clock.monotonicMs();
  const kind = understanding.stream ? 'stream' : 'whole';
  return new Map(
    targets.map((target) => {
      const { firstTokenMs, waiting } = paces.of(target.routeKey, kind, nowMs);
      return [target, { out: isOut(target, health, nowMs), firstTokenMs, waiting }];
    }),
  );
}

export const areAlike = (targets: readonly Target[]): boolean =>
  targets.every(({ shape }) => shape === targets[0]?.shape);

/**
 * Judging a host writes the request for it once more: after this many shapes of host that all lose something, the next
 * one is accepted unjudged.
 */
export const MAX_JUDGED = 8;

/** Judged once per shape. */
function fitOf(understood: Understood, target: Target, fetchesMedia: boolean, known: Map<number, Fit>): Fit {
  const before = known.get(target.shape);
  if (before !== undefined) return before;
  // Judged before planning, as far as it was done: the router is synchronous.
  if (understood.onWorker !== undefined) return understood.onWorker.fits.get(target.shape) ?? 'keeps';
  if (known.size >= MAX_JUDGED) return 'keeps';
  const fit = judged(understood, target, fetchesMedia);
  known.set(target.shape, fit);
  return fit;
}

export const fitBy = ({ understanding }: Understood, { losses }: Foreseen): Fit =>
  losses.length > understanding.losses.length ? 'loses' : 'keeps';

function judged(understood: Understood, target: Target, fetchesMedia: boolean): Fit {
  try {
    return fitBy(understood, foresee(understood, target, fetchesMedia));
  } catch {
    // The error is reported when the request is written for the host.
    return 'cannot';
  }
}

const weighedOf = (
  target: Target,
  { firstTokenMs, waiting }: RouteObservation,
  fit: Fit | undefined,
  holder: string | undefined,
  rooms: Rooms | undefined,
): Weighed => ({
  provider: target.provider,
  modelId: target.modelId,
  firstTokenMs,
  waiting,
  picoUsd: target.route.picoUsd,
  isMaker: target.route.isMaker,
  holdsCache: target.routeKey === holder,
  fit,
  contextLength: target.route.contextLength,
  room: rooms?.roomOf(target),
});

type Route = { readonly routeKey: string; readonly spares?: readonly Route[] };

/** A host is out of service for a model only if it is so under every credential. */
export const isOut = ({ routeKey, spares }: Route, health: Health, nowMs: number): boolean =>
  health.cooldownMs(routeKey, nowMs) > 0 &&
  (spares === undefined || spares.every((spare) => health.cooldownMs(spare.routeKey, nowMs) > 0));
