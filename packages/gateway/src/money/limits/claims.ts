/** A request's claims on rate limits: one claim per limit that applies, named by its scope and its measure. */

import type { SlotRequest } from '../../kernel/admission.ts';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { Caller, RateRule } from '../../kernel/caller.ts';
import { type RateLimit, rateOfAmounts, rateOfRequests } from './gcra.ts';
import { type RateRules, ruleOf, type Scope } from './rules.ts';

export const NANO_PER_USD = 1_000_000_000;

/** The first three are counted per minute, the last one while requests run. */
export type Measure = 'requests' | 'tokens' | 'nanoUsd' | 'at-once';
/** In the order in which a request claims them. */
const MEASURES: readonly Measure[] = ['at-once', 'requests', 'tokens', 'nanoUsd'];

/** Units claimed from one limit, as the operator configured it. */
export type LimitClaim = {
  readonly name: string;
  readonly scope: Scope;
  readonly measure: Measure;
  readonly limit: number;
  /** Burst of requests, if the operator has set one. */
  readonly burst?: number | undefined;
  readonly units: number;
};

export type LimitRefusal = { readonly claim: LimitClaim; readonly waitMs: number };

/** Retry hint in ms: when a running request will end is unknown. */
export const PLACE_WAIT_MS = 1000;

/** The rate of one of `shares` processes, or lease servers, that enforce the limit together. */
export const rateOf = ({ measure, limit, burst }: LimitClaim, shares: number): RateLimit =>
  measure === 'requests' ? rateOfRequests(limit, burst, shares) : rateOfAmounts(limit / shares);

type Limit = Omit<LimitClaim, 'units'>;

/**
 * Callers are made once per key, and rules once per configuration: the limits of a caller and of a model are looked up
 * once for each.
 */
type Known = { readonly rules: RateRules; readonly limits: readonly Limit[] };
const MAX_KNOWN_MODELS = 10_000;
const ofCallers = new WeakMap<Caller, Known>();
const ofModels = new BoundedMap<string, Known>(MAX_KNOWN_MODELS);

export function claimsOf(caller: Caller, request: SlotRequest, rules: RateRules): LimitClaim[] {
  const claims: LimitClaim[] = [];
  pushClaims(claims, limitsOfCaller(caller, rules), request);
  pushClaims(claims, limitsOfModel(request.modelId, rules), request);
  return claims;
}

function pushClaims(claims: LimitClaim[], limits: readonly Limit[], { tokens, nanoUsd }: SlotRequest): void {
  for (const { name, scope, measure, limit, burst } of limits) {
    const units = measure === 'tokens' ? tokens : measure === 'nanoUsd' ? nanoUsd : 1;
    claims.push({ name, scope, measure, limit, burst, units });
  }
}

function limitsOfCaller(caller: Caller, rules: RateRules): readonly Limit[] {
  const known = ofCallers.get(caller);
  if (known?.rules === rules) return known.limits;
  const { keyId, accountId, rates, accountRates } = caller;
  const limits = [...limitsOf('key', keyId, rules, rates), ...limitsOf('account', accountId, rules, accountRates)];
  ofCallers.set(caller, { rules, limits });
  return limits;
}

function limitsOfModel(modelId: string, rules: RateRules): readonly Limit[] {
  const known = ofModels.get(modelId);
  if (known?.rules === rules) return known.limits;
  const limits = limitsOf('model', modelId, rules);
  ofModels.set(modelId, { rules, limits });
  return limits;
}

/** `stored`: the rule in the database. */
function limitsOf(scope: Scope, id: string, rules: RateRules, stored?: RateRule): readonly Limit[] {
  const rule = ruleOf(rules[scope], id, stored);
  if (rule === undefined) return [];
  const { inFlight, requestsPerMinute, tokensPerMinute, usdPerMinute } = rule;
  const limits: Readonly<Record<Measure, number | undefined>> = {
    'at-once': inFlight,
    requests: requestsPerMinute,
    tokens: tokensPerMinute,
    nanoUsd: usdPerMinute === undefined ? undefined : usdPerMinute * NANO_PER_USD,
  };
  return MEASURES.flatMap((measure) => {
    const limit = limits[measure];
    const burst = measure === 'requests' ? rule.burst : undefined;
    return limit === undefined ? [] : [{ name: `${scope}:${measure}:${id}`, scope, measure, limit, burst }];
  });
}
