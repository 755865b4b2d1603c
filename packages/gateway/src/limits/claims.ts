/** What a request asks of the limits that hold for it: one claim for each, by whom it holds for and what it counts. */
import type { Caller } from '../accounts/caller.ts';
import type { RateRule } from '../accounts/rights.ts';
import type { SlotRequest } from '../kernel/admission.ts';
import { BoundedMap } from '../kernel/bounded-map.ts';
import { type RateLimit, rateOfAmounts, rateOfRequests } from './gcra.ts';
import { type RateRules, ruleOf, SCOPES, type Scope } from './rules.ts';

export const NANO_PER_USD = 1_000_000_000;

/** The first three are counted by the minute, the last one while requests run. */
export type Measure = 'requests' | 'tokens' | 'nanoUsd' | 'at-once';

/** So many units against one limit, as the operator wrote it. */
export type LimitClaim = {
  readonly name: string;
  readonly scope: Scope;
  readonly measure: Measure;
  readonly limit: number;
  /** Of requests, where the operator has set it. */
  readonly burst?: number | undefined;
  readonly units: number;
};

export type LimitRefusal = { readonly claim: LimitClaim; readonly waitMs: number };

/** Nobody knows when a place among those that run is free again. */
export const PLACE_WAIT_MS = 1000;

/** Of one of so many who hold the limit together. */
export const rateOf = ({ measure, limit, burst }: LimitClaim, shares: number): RateLimit =>
  measure === 'requests' ? rateOfRequests(limit, burst, shares) : rateOfAmounts(limit / shares);

export function claimsOf(caller: Caller, request: SlotRequest, rules: RateRules): LimitClaim[] {
  const claims: LimitClaim[] = [];
  const { keyId, accountId, rates, accountRates } = caller;
  const stored: Readonly<Record<Scope, RateRule | undefined>> = { key: rates, account: accountRates, model: undefined };
  const ids: Readonly<Record<Scope, string>> = { key: keyId, account: accountId, model: request.modelId };
  for (const scope of SCOPES) {
    const rule = ruleOf(rules[scope], ids[scope], stored[scope]);
    if (rule !== undefined) pushClaims(claims, scope, ids[scope], rule, request);
  }
  return claims;
}

const MAX_KNOWN_NAMES = 10_000;
type Names = Readonly<Record<Measure, string>>;

/** Put together once for each owner: a name that is made anew has to be joined and hashed again wherever it is looked up. */
const knownNames: Readonly<Record<Scope, BoundedMap<string, Names>>> = {
  key: new BoundedMap(MAX_KNOWN_NAMES),
  account: new BoundedMap(MAX_KNOWN_NAMES),
  model: new BoundedMap(MAX_KNOWN_NAMES),
};

function namesOf(scope: Scope, id: string): Names {
  const known = knownNames[scope];
  let names = known.get(id);
  if (names === undefined) {
    const name = (measure: Measure): string => `${scope}:${measure}:${id}`;
    names = {
      requests: name('requests'),
      tokens: name('tokens'),
      nanoUsd: name('nanoUsd'),
      'at-once': name('at-once'),
    };
    known.set(id, names);
  }
  return names;
}

function pushClaims(claims: LimitClaim[], scope: Scope, id: string, rule: RateRule, request: SlotRequest): void {
  const names = namesOf(scope, id);
  const push = (measure: Measure, limit: number | undefined, units: number): void => {
    const burst = measure === 'requests' ? rule.burst : undefined;
    if (limit !== undefined) claims.push({ name: names[measure], scope, measure, limit, burst, units });
  };
  push('at-once', rule.inFlight, 1);
  push('requests', rule.requestsPerMinute, 1);
  push('tokens', rule.tokensPerMinute, request.tokens);
  push('nanoUsd', rule.usdPerMinute === undefined ? undefined : rule.usdPerMinute * NANO_PER_USD, request.nanoUsd);
}
