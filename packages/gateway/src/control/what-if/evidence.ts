/** A stored record in the form that the planner reads again. */
import { type OperationKind, PROTOCOL_NAMES, type ProtocolName } from '@trivium/protocol/canonical';
import { hostKey, type RecordedCall } from '../../calls/plan/replan.ts';
import { routingPreferences } from '../../money/usage/asked-preferences.ts';
import type { UsageEvent } from '../../money/usage/event.ts';

/** Exclusions that only a caller's preferences cause, unless a policy is named. */
const BY_PREFERENCES: ReadonlySet<string> = new Set([
  'not-among-providers',
  'ignored',
  'may-train',
  'may-retain',
  'other-region',
  'too-dear',
  'no-fallback',
  'not-the-fallback',
]);
const ORDERS: ReadonlySet<string> = new Set(['strategy', 'order', 'weights']);

/** Responses is recorded under its own name, and called as chat. */
const protocolOf = (recorded: string): ProtocolName => PROTOCOL_NAMES.find((name) => name === recorded) ?? 'chat';

/** The caller stated preferences, and the record does not have them. */
export function lacksPreferences({ details }: UsageEvent): boolean {
  const { preferences, leftOut, decision } = details;
  if (preferences !== undefined) return false;
  if (leftOut.some(({ why, policy }) => policy === undefined && BY_PREFERENCES.has(why))) return true;
  if (decision === undefined || decision.decidedBy.hosts === 'default') return false;
  return decision.decidedBy.policies?.some(({ member }) => ORDERS.has(member)) !== true;
}

export function recordedCall(event: UsageEvent): RecordedCall {
  const { details, provider, modelId, askedModel } = event;
  const { decision, leftOut, preferences, attempts } = details;
  const isPlain = decision === undefined && leftOut.length === 0;
  const first = attempts[0]?.provider ?? provider;
  const isStrictByPolicy = decision?.decidedBy.policies?.some(({ member }) => member === 'strict') === true;
  return {
    accountId: event.accountId,
    keyId: event.keyId,
    tags: details.tags ?? details.refusedTags,
    protocol: protocolOf(event.protocol),
    operation: (event.operation ?? 'text') as OperationKind,
    asked: askedModel ?? modelId,
    stream: details.stream,
    strict: details.strict === true && !isStrictByPolicy,
    preferences: preferences && routingPreferences(preferences, 'preferences'),
    weighed: decision?.weighed ?? [],
    leftOut,
    only: isPlain && first !== null && first !== undefined ? { provider: first, modelId } : undefined,
    inputBounds: decision?.inputBounds,
    complexity: decision?.decidedBy.models?.complexity,
    canaryDraw: canaryDrawOf(event),
  };
}

/** The canary may have been drawn by the conversation, of which nothing is recorded: any number that draws it alike. */
function canaryDrawOf({ requestId, details }: UsageEvent): number {
  const [random] = randomOf(requestId);
  const canary = details.decision?.decidedBy.canary;
  if (canary === undefined) return random;
  const share = canary.percent / 100;
  return canary.sentTo === undefined ? share + random * (1 - share) : random * share;
}

/** Two numbers from 0 to below 1 that are the same for the same request every time. */
export function randomOf(requestId: string): readonly [number, number] {
  const at = (salt: number): number => {
    let mixed = salt;
    for (let index = 0; index < requestId.length; index++)
      mixed = Math.imul(mixed ^ requestId.charCodeAt(index), 0x01000193);
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
  return [at(0x811c9dc5), at(0x9e3779b9)];
}

/** Hosts in the order of their first places: one may have a model in two wire formats. */
export const hostsIn = (
  plan: readonly { readonly provider: string; readonly modelId: string }[],
): readonly string[] => [...new Set(plan.map(hostKey))];

export const recordedOrder = ({ weighed, only }: RecordedCall): readonly string[] =>
  hostsIn(only === undefined ? weighed : [only]);

/** The host that answered, as the ledger and the caller know it. */
export const answeredBy = ({ provider, modelId, outcome, priceVersion }: UsageEvent): string | undefined =>
  provider !== null && (outcome === 'ok' || outcome === 'cancelled' || priceVersion !== null)
    ? hostKey({ provider, modelId })
    : undefined;
