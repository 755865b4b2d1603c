/** All that policies say of a caller's calls to a model: immutable, shared by all calls it applies to. */
import type { PolicyDecision } from '../../kernel/record.ts';
import type { WhyLeftOut } from '../../kernel/route.ts';
import type { Fence, RouteCandidate } from '../routing/candidate.ts';
import { whyOutside } from '../routing/fence.ts';
import type { Policy, PolicyMember } from './contract.ts';

/** A value, and the policy that says so. */
type SaidBy<M extends PolicyMember> = { readonly value: NonNullable<Policy[M]>; readonly policy: string };

type FenceMember = 'only' | 'ignore' | 'trains' | 'retention' | 'region' | 'maxPrice' | 'strict';

/** Of a fence all that hold: that of the account or key, one for each tag, and one for an alias. */
export type Said = {
  readonly [M in PolicyMember]?: M extends FenceMember ? readonly SaidBy<M>[] : SaidBy<M>;
};

export type Excluded<C> = { readonly candidate: C; readonly why: WhyLeftOut; readonly policy: string };

/** `allowed` is the given list itself if nothing is excluded. */
export type Among<C> = { readonly allowed: readonly C[]; readonly excluded: readonly Excluded<C>[] };

/** Shares of first calls: of hosts, and of the credentials at a host, by their position. */
export type Weights = {
  readonly byHost: ReadonlyMap<string, number>;
  readonly byCredential: ReadonlyMap<string, ReadonlyMap<number, number>>;
};

type OneFence = { readonly fence: Fence; readonly policy: string };

export class ResolvedPolicy {
  readonly said: Said;
  /** Who decided what, for records. */
  readonly decisions: readonly PolicyDecision[];
  readonly strict: boolean;
  readonly weights: Weights | undefined;
  readonly #fences: readonly OneFence[];
  /** Lists of hosts are those of a model, and live as long as the engine. */
  readonly #known = new WeakMap<readonly RouteCandidate[], Among<RouteCandidate>>();

  constructor(said: Said, decisions: readonly PolicyDecision[]) {
    this.said = said;
    this.decisions = decisions;
    this.strict = said.strict !== undefined;
    this.weights = said.weights && weightsOf(said.weights.value);
    this.#fences = fencesOf(said);
  }

  /** The hosts that may be called, and who excluded the others. */
  among<C extends RouteCandidate>(candidates: readonly C[]): Among<C> {
    const known = this.#known.get(candidates) as Among<C> | undefined;
    if (known !== undefined) return known;
    const excluded = candidates.flatMap((candidate) => this.#exclusionOf(candidate) ?? []);
    const out = new Set(excluded.map(({ candidate }) => candidate));
    const allowed = out.size === 0 ? candidates : candidates.filter((candidate) => !out.has(candidate));
    const among = { allowed, excluded };
    this.#known.set(candidates, among);
    return among;
  }

  #exclusionOf<C extends RouteCandidate>(candidate: C): Excluded<C> | undefined {
    for (const { fence, policy } of this.#fences) {
      const why = whyOutside(candidate, fence);
      if (why !== undefined) return { candidate, why, policy };
    }
    return undefined;
  }
}

function fencesOf({ only = [], ignore = [], trains = [], retention = [], region = [], maxPrice = [] }: Said) {
  const fences: OneFence[] = [
    ...only.map(({ value, policy }) => ({ policy, fence: { only: value } })),
    ...ignore.map(({ value, policy }) => ({ policy, fence: { ignore: value } })),
    ...trains.map(({ policy }) => ({ policy, fence: { noTraining: true } })),
    ...retention.map(({ value, policy }) => ({ policy, fence: { retentionDays: value } })),
    ...region.map(({ value, policy }) => ({ policy, fence: { regions: value.map((name) => name.toLowerCase()) } })),
    ...maxPrice.map(({ value, policy }) => ({ policy, fence: { maxPrice: value } })),
  ];
  return fences;
}

function weightsOf(given: Readonly<Record<string, number>>): Weights {
  const byHost = new Map<string, number>();
  const byCredential = new Map<string, Map<number, number>>();
  for (const [name, weight] of Object.entries(given)) {
    const [host = '', credential] = name.split('#');
    byHost.set(host, (byHost.get(host) ?? 0) + weight);
    if (credential === undefined) continue;
    const credentials = byCredential.get(host) ?? new Map<number, number>();
    byCredential.set(host, credentials.set(Number(credential), weight));
  }
  return { byHost, byCredential };
}
