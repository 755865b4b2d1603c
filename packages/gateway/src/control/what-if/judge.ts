/** One record under the draft: who would have answered, and what it would have been billed. */

import {
  hostKey,
  isPolicyRefusal,
  type RecordedCall,
  type Replanned,
  type Replanner,
} from '../../calls/plan/replan.ts';
import type { Target } from '../../kernel/target.ts';
import type { UsageEvent } from '../../money/usage/event.ts';
import { type DraftTurns, drafted, isAsRecorded, type Replayed, replayed } from './chance.ts';
import type { VerdictKind, WhyUnknown } from './contract.ts';
import { answeredBy, hostsIn, lacksPreferences, recordedCall, recordedOrder } from './evidence.ts';
import { billedNano, priceAt, servedTarget } from './pricing.ts';

export type Judged = {
  readonly kind: VerdictKind;
  readonly why?: WhyUnknown;
  readonly refusal?: string;
  readonly to?: { readonly provider: string; readonly modelId: string } | undefined;
  readonly wasNano: bigint;
  readonly wouldNano: bigint;
  /** What it would cost more if nothing were cached at the other host. */
  readonly cacheLostNano: bigint;
  readonly isReordered: boolean;
  /** Today's policies, prices and hosts plan it otherwise than it was recorded. */
  readonly isUnlikeToday: boolean;
};

export type Planners = {
  readonly today: Replanner;
  readonly draft: Replanner;
  readonly turns: DraftTurns;
  readonly factorPpm: number;
};

type Found = Pick<Judged, 'kind'> & Partial<Judged>;

const unknown = (why: WhyUnknown): Found => ({ kind: 'unknown', why });

export function judge(event: UsageEvent, planners: Planners): Judged {
  const wasNano = billedNano(event);
  return {
    wasNano,
    wouldNano: 0n,
    cacheLostNano: 0n,
    isReordered: false,
    isUnlikeToday: false,
    ...(event.refused === true ? judgeRefused(event, planners) : judgeServed(event, wasNano, planners)),
  };
}

/** Refused before it was admitted: only a refusal by a policy may end with other policies. */
function judgeRefused(event: UsageEvent, { today, draft }: Planners): Found {
  if (event.outcome !== 'forbidden' || !isPolicyRefusal(event.details.problem ?? '')) return { kind: 'kept' };
  if (event.operation === 'video') return today === draft ? { kind: 'kept' } : unknown('video');
  if (event.operation === 'passthrough') return today === draft ? { kind: 'kept' } : unknown('passthrough');
  return 'refused' in draft.replan(recordedCall(event), { turn: 0, draw: 0 }) ? { kind: 'kept' } : unknown('no-answer');
}

function judgeServed(event: UsageEvent, wasNano: bigint, planners: Planners): Found {
  const { today, draft } = planners;
  if (event.outcome === 'interrupted') return unknown('interrupted');
  if (event.operation === 'video') return today === draft ? { kind: 'kept', wouldNano: wasNano } : unknown('video');
  if (event.operation === 'passthrough')
    return today === draft ? { kind: 'kept', wouldNano: wasNano } : unknown('passthrough');
  if (lacksPreferences(event)) return unknown('preferences');
  const call = recordedCall(event);
  const was = replayed(call, today);
  const planned = today === draft && was.isSame ? was.planned : drafted(call, event.requestId, planners, was);
  const found = { ...judgePlan(event, call, was, planned, planners), isUnlikeToday: !was.isSame };
  return { ...found, isReordered: found.kind === 'kept' && !isAsRecorded(planned, call) };
}

function judgePlan(
  event: UsageEvent,
  call: RecordedCall,
  was: Replayed,
  planned: Replanned,
  planners: Planners,
): Found {
  if ('refused' in planned) return { kind: 'refused', refusal: planned.refused.message };
  const order = recordedOrder(call);
  const answered = answeredBy(event);
  if (answered === undefined) return judgeFailed(order, planned);
  const passed = passedOver(event, order, answered);
  const next = planned.plan.find((target) => !passed.has(hostKey(target)));
  if (next === undefined) return { kind: 'failed' };
  const isMoved = hostKey(next) !== answered;
  const doubt = doubtOf(event, call, was, planned, { next, isMoved });
  if (doubt !== undefined) return doubt;
  return priced(event, call, answered, isMoved ? next : undefined, planners);
}

/** Hosts that were in front of the one that answered: out of service, failed, or slower than a hedge. */
function passedOver({ details }: UsageEvent, order: readonly string[], answered: string): ReadonlySet<string> {
  const at = order.indexOf(answered);
  const tried = details.attempts.map(({ provider, modelId = '' }) => hostKey({ provider, modelId }));
  const passed = new Set([...order.slice(0, Math.max(0, at)), ...tried]);
  passed.delete(answered);
  return passed;
}

/** It fails as it did if it meets no other host before. */
function judgeFailed(order: readonly string[], { plan }: Exclude<Replanned, { readonly refused: unknown }>): Found {
  const hosts = hostsIn(plan);
  const isKnown = hosts[0] === order[0] && hosts.every((host) => order.includes(host));
  return order.length === 0 || isKnown ? { kind: 'kept' } : unknown('no-answer');
}

/** What keeps a plan from being believed. */
function doubtOf(
  event: UsageEvent,
  call: RecordedCall,
  was: Replayed,
  planned: Exclude<Replanned, { readonly refused: unknown }>,
  { next, isMoved }: { readonly next: Target; readonly isMoved: boolean },
): Found | undefined {
  const { details, firstByteMs, durationMs } = event;
  const { timeouts, strict, plan, hosts } = planned;
  const weighed = (target: Target) =>
    call.weighed.find(({ provider, modelId }) => provider === target.provider && modelId === target.modelId);
  if (isMoved) {
    if (plan.indexOf(next) >= planned.fallbacksFrom) return unknown('fallback');
    if (event.priceVersion === null) return unknown('no-usage');
    const isByLatency = hosts === 'speed' || hosts === 'least_latency';
    if (isByLatency && plan.some((target) => weighed(target)?.firstTokenMs == null)) return unknown('latency');
  }
  if (strict && details.strict !== true) {
    if (isMoved && weighed(next)?.fit !== 'keeps') return unknown('strict');
    if (!isMoved && details.losses.length > 0)
      return { kind: 'refused', refusal: 'Strict: a parameter would be dropped or changed.' };
  }
  const before = 'refused' in was.planned ? undefined : was.planned.timeouts;
  if (timeouts !== undefined && JSON.stringify(timeouts) !== JSON.stringify(before)) {
    const { firstByteMs: first = Number.POSITIVE_INFINITY, totalMs: total = Number.POSITIVE_INFINITY } = timeouts;
    if ((firstByteMs ?? 0) > first || durationMs > total) return unknown('timeouts');
  }
  return undefined;
}

/** `to`: another host than the one that answered. */
function priced(
  event: UsageEvent,
  call: RecordedCall,
  answered: string,
  to: Target | undefined,
  { today, draft, factorPpm }: Planners,
): Found {
  const kind = to === undefined ? 'kept' : 'moved';
  // Nothing was billed, and the same host bills nothing again.
  if (event.priceVersion === null) return { kind };
  const like = to ?? servedTarget(call, answered, event.priceVersion, today);
  if (like === undefined) return unknown('host-gone');
  const price = priceAt(like, draft, { call, event, factorPpm, isMoved: to !== undefined });
  if ('unknown' in price) return unknown(price.unknown);
  return { kind, to, wouldNano: price.nano, cacheLostNano: price.withoutCacheNano - price.nano };
}
