/**
 * Plans a recorded request again, by the planner of calls: under other policies, or at other prices. What the planner
 * reads of a request, of its hosts and of chance comes from the record. Nothing is called, and no state is touched.
 */
import {
  type Complexity,
  type Fault,
  GatewayError,
  type OperationKind,
  type ProtocolName,
  type RoutingPreferences,
} from '@trivium/protocol/canonical';
import { ESTIMATE_MARGIN } from '@trivium/protocol/dialects';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { DecidedBy, InputBounds, LeftOut, PlainWeighed } from '../../kernel/record.ts';
import { type Fit, WHYS_LEFT_OUT, type WhyLeftOut } from '../../kernel/route.ts';
import { partsOf } from '../../kernel/route-key.ts';
import type { Tags } from '../../kernel/tags.ts';
import type { Directory, DirectoryEntry, Target } from '../../kernel/target.ts';
import type { PolicySet } from '../../models/policies/policy-set.ts';
import { OPERATIONS } from '../operations.ts';
import type { Planned, Understood } from '../request.ts';
import type { PlanPorts } from './plan-among.ts';
import { policyFor } from './policies.ts';
import { resolve } from './resolve.ts';

export { isPolicyRefusal } from './policies.ts';

/** What its record says of a request. */
export type RecordedCall = {
  readonly accountId: string;
  readonly keyId: string;
  readonly tags?: Tags | undefined;
  readonly protocol: ProtocolName;
  readonly operation: OperationKind;
  readonly asked: string;
  readonly stream: boolean;
  readonly strict: boolean;
  readonly preferences?: RoutingPreferences | undefined;
  /** The plan; empty where there was one host and nothing to decide. */
  readonly weighed: readonly PlainWeighed[];
  readonly leftOut: readonly LeftOut[];
  /** Where there was nothing to decide: the only host. */
  readonly only?: Host | undefined;
  readonly inputBounds?: InputBounds | undefined;
  readonly complexity?: Complexity | undefined;
  /** At least 0 and below 1: it draws the canary where the record says that it was drawn. */
  readonly canaryDraw: number;
};

/** What the planner draws: a turn of the round robin, and a number of at least 0 and below 1. */
export type Chance = { readonly turn: number; readonly draw: number };

export type Replanned =
  | { readonly refused: Fault }
  | {
      readonly plan: readonly Target[];
      readonly leftOut: readonly LeftOut[];
      readonly hosts: DecidedBy['hosts'];
      readonly decidedBy?: DecidedBy | undefined;
      readonly strict: boolean;
      readonly timeouts?: Planned['timeouts'];
      /** From this place of the plan on: the operator's fallbacks to other models. */
      readonly fallbacksFrom: number;
    };

export const NO_CHANCE: Chance = { turn: 0, draw: 0 };

type Host = { readonly provider: string; readonly modelId: string };

/** A host in texts and maps: a provider and a model. */
export const hostKey = ({ provider, modelId }: Host): string => `${provider} ${modelId}`;

const MAX_ENTRIES = 10_000;
const isByPlan = (why: LeftOut['why']): why is WhyLeftOut => WHYS_LEFT_OUT.some((known) => known === why);
/** Narrowed by what the request is, or by its key: no policy gives these hosts back. */
const isBarred = ({ why, policy }: LeftOut): boolean => policy === undefined && !isByPlan(why);

/** Left out after the draw, which they took part in. */
const AFTER_THE_DRAW: ReadonlySet<string> = new Set(['cannot-carry', 'no-fallback', 'not-the-fallback']);

/** The hosts that chance chose among. */
export const drawnAmong = ({ plan, leftOut }: Exclude<Replanned, { readonly refused: Fault }>): ReadonlySet<string> =>
  new Set([...plan, ...leftOut.filter(({ why }) => AFTER_THE_DRAW.has(why))].map(hostKey));

/** All that is known of a host from one record. */
type Evidence = { firstTokenMs: number | undefined; waiting: number; isOut: boolean; readonly fits: Fit[] };

const FITS: readonly Fit[] = ['cannot', 'loses', 'keeps'];
const MEMBER = 'prompt';

export class Replanner {
  readonly directory: Directory;
  readonly #policies: PolicySet | undefined;
  /** Models with the hosts of a record: policies remember lists of hosts by reference. */
  readonly #narrowed = new BoundedMap<string, DirectoryEntry>(MAX_ENTRIES);

  constructor(directory: Directory, policies: PolicySet | undefined) {
    this.directory = directory;
    this.#policies = policies;
  }

  replan(call: RecordedCall, chance: Chance): Replanned {
    const evidence = evidenceOf(call);
    const directory = this.#directoryFor(call);
    const understood = understoodAs(call, directory, evidence);
    try {
      const planned = resolve(understood, this.#portsFor(call, directory, evidence, chance));
      const { plan, leftOut = [], decidedBy, strict, timeouts, steps } = planned;
      const fallbacksFrom = steps?.[0]?.from ?? plan.length;
      return { plan, leftOut, hosts: decidedBy?.hosts ?? 'default', decidedBy, strict, timeouts, fallbacksFrom };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { refused: error.fault };
    }
  }

  /** The shares that the first host is drawn by, in the order of the draw; undefined if it is not drawn by shares. */
  sharesOf(call: RecordedCall, replanned: Replanned): ReadonlyMap<string, number> | undefined {
    if ('refused' in replanned || replanned.hosts !== 'weights' || this.#policies === undefined) return undefined;
    const { modelId } = replanned.plan[0]!;
    const directory = this.#directoryFor(call);
    const called = { caller: callerOf(call), tags: call.tags, protocol: call.protocol, dialect: call };
    const weights = policyFor(called, this.#policies, directory, call.asked, modelId)?.weights?.byHost;
    const drawn = drawnAmong(replanned);
    const shares = new Map<string, number>();
    for (const target of this.targetsOf(call, modelId))
      if (drawn.has(hostKey(target))) shares.set(target.provider, weights?.get(target.provider) ?? 0);
    return shares;
  }

  /** The hosts of a model for this call, as the directory has them now. */
  targetsOf({ operation }: Pick<RecordedCall, 'operation'>, modelId: string): readonly Target[] {
    const entry = this.directory.find(modelId);
    return entry?.[OPERATIONS[operation].targets] ?? entry?.targets ?? [];
  }

  /** A record names the hosts its request could have been sent to; others were added since, or barred to its key. */
  #directoryFor({ weighed, leftOut, only, preferences }: RecordedCall): Directory {
    const open = new Map<string, Set<string>>();
    const named = new Set<string>();
    const hostsOf = (one: Host): Set<string> => {
      named.add(one.provider);
      const hosts = open.get(one.modelId) ?? new Set();
      open.set(one.modelId, hosts);
      return hosts;
    };
    for (const one of only === undefined ? weighed : [only]) hostsOf(one).add(one.provider);
    for (const one of leftOut) if (!isBarred(one)) hostsOf(one).add(one.provider);
    const { providers, fallback, order, only: onlyThese } = preferences ?? {};
    for (const list of [providers, order, onlyThese])
      for (const { name } of list?.names ?? []) named.add(name.toLowerCase());
    if (fallback !== undefined) named.add(fallback.name.toLowerCase());
    const { directory } = this;
    return {
      find: (name) => {
        const entry = directory.find(name);
        const hosts = entry && open.get(entry.id);
        return hosts === undefined || hosts.size === 0 ? entry : this.#narrow(entry!, hosts);
      },
      absence: (name) => directory.absence(name),
      hosts: new Set([...directory.hosts, ...named]),
      modelIds: directory.modelIds,
      cards: (factor) => directory.cards(factor),
      card: (name, factor) => directory.card(name, factor),
    };
  }

  #narrow(entry: DirectoryEntry, hosts: ReadonlySet<string>): DirectoryEntry {
    const isOpen = ({ provider }: { readonly provider: string }): boolean => hosts.has(provider);
    if (entry.targets.every(isOpen) && (entry.imageTargets ?? []).every(isOpen)) return entry;
    return this.#narrowed.getOrInsertComputed(`${entry.id} ${[...hosts].sort().join()}`, () => ({
      ...entry,
      targets: entry.targets.filter(isOpen),
      ...(entry.imageTargets !== undefined && { imageTargets: entry.imageTargets.filter(isOpen) }),
    }));
  }

  #portsFor(
    call: RecordedCall,
    directory: Directory,
    evidence: ReadonlyMap<string, Evidence>,
    { turn, draw }: Chance,
  ): PlanPorts {
    const of = (routeKey: string): Evidence | undefined => {
      const { provider, model: modelId } = partsOf(routeKey);
      return evidence.get(hostKey({ provider, modelId }));
    };
    const holder = call.weighed.find(({ holdsCache }) => holdsCache);
    // The planner reads of each port what is given here.
    const ports: { readonly [Port in keyof Required<PlanPorts>]: Partial<PlanPorts[Port]> } = {
      directory,
      policies: this.#policies,
      turns: { next: () => turn, peek: () => turn },
      health: { cooldownMs: (routeKey) => (of(routeKey)?.isOut === true ? 1 : 0) },
      paces: {
        of: (routeKey) => {
          const known = of(routeKey);
          return { firstTokenMs: known?.firstTokenMs, waiting: known?.waiting ?? 0 };
        },
      },
      caches: {
        find: () =>
          holder && this.targetsOf(call, holder.modelId).find(({ provider }) => provider === holder.provider)?.routeKey,
      },
      clock: { monotonicMs: () => 0 },
      random: (purpose?: string) => (purpose === 'canary' ? call.canaryDraw : draw),
      fractionOf: () => draw,
      digest: (text: string) => text,
      fetchesMedia: true,
    };
    return ports as PlanPorts;
  }
}

/** Latencies are stored in tenths: of two that are equal there, the one that stood first was the lower one. */
const TIE_MS = 1e-6;

function evidenceOf({ weighed, leftOut }: RecordedCall): ReadonlyMap<string, Evidence> {
  const evidence = new Map<string, Evidence>();
  const at = (host: Host): Evidence => {
    const key = hostKey(host);
    const known = evidence.get(key) ?? { firstTokenMs: undefined, waiting: 0, isOut: false, fits: [] };
    evidence.set(key, known);
    return known;
  };
  for (const [place, one] of weighed.entries()) {
    const known = at(one);
    if (one.firstTokenMs != null) known.firstTokenMs ??= one.firstTokenMs + place * TIE_MS;
    known.waiting = one.waiting;
    if (one.fit != null) known.fits.push(one.fit);
  }
  for (const one of leftOut) {
    if (one.why === 'ejected') at(one).isOut = true;
    if (one.why === 'cannot-carry') at(one).fits.push('cannot');
  }
  return evidence;
}

const callerOf = ({ accountId, keyId, strict, weighed, leftOut }: RecordedCall): Understood['caller'] => {
  const barred = new Set(leftOut.filter(isBarred).map(({ modelId }) => modelId));
  for (const { modelId } of [...weighed, ...leftOut.filter((one) => !isBarred(one))]) barred.delete(modelId);
  return { accountId, keyId, strict, mayUse: (modelId) => !barred.has(modelId) };
};

/**
 * A request whose body is not here any more is planned like one whose body was parsed on another thread: by figures,
 * and by what hosts would keep of it.
 */
function understoodAs(call: RecordedCall, directory: Directory, evidence: ReadonlyMap<string, Evidence>): Understood {
  const { protocol, operation, asked, stream, strict, preferences, inputBounds, tags, weighed } = call;
  const { atLeast = 0, atMost = 0 } = inputBounds ?? {};
  const usual = atMost / ESTIMATE_MARGIN;
  const holdsCache = weighed.some((one) => one.holdsCache);
  const understood: Partial<Understood> = {
    protocol,
    ...(tags !== undefined && { tags }),
    strict,
    text: '',
    members: holdsCache ? [{ name: MEMBER, start: 0, valueStart: 0, valueEnd: 0, end: 0 } as never] : [],
    caller: callerOf(call),
    headers: { has: () => false } as never,
    // One member that groups prompts: whichever key it gives, the record says who held the cache.
    dialect: { operation, server: holdsCache ? { caching: { prompt: [], groupMember: MEMBER } } : {} } as never,
    understanding: { model: asked, stream, media: [], losses: [], routing: preferences } as never,
    onWorker: {
      fits: fitsByShape(call, directory, evidence),
      figures: {
        inputTokens: usual,
        inputTokensAtResolution: usual,
        leastInputTokens: atLeast,
        candidates: undefined,
        complexity: call.complexity ?? 'low',
        newestMedia: undefined,
      },
    } as never,
  };
  return understood as Understood;
}

/** A host may have a model in two wire formats; they are judged in order, until one keeps everything. */
function fitsByShape(
  { operation }: RecordedCall,
  directory: Directory,
  evidence: ReadonlyMap<string, Evidence>,
): Map<number, Fit> {
  const byShape = new Map<number, Fit>();
  for (const [key, { fits }] of evidence) {
    if (fits.length === 0) continue;
    const { provider, model } = partsOf(key);
    const entry = directory.find(model);
    const targets = entry?.[OPERATIONS[operation].targets] ?? entry?.targets ?? [];
    const inOrder = fits.toSorted((one, other) => FITS.indexOf(one) - FITS.indexOf(other));
    for (const target of targets.filter((one) => one.provider === provider)) {
      const fit = inOrder.shift();
      if (fit !== undefined) byShape.set(target.shape, fit);
    }
  }
  return byShape;
}
