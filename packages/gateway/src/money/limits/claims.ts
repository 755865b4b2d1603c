/** A request's claims on rate limits: one claim per limit that applies, named by its scope and its measure. */

import type { SlotRequest } from '../../kernel/admission.ts';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { Caller, RateRule } from '../../kernel/caller.ts';
import { type RateLimit, rateOfAmounts, rateOfRequests } from './gcra.ts';
import { type RateRules, ruleOf, SCOPES, type Scope } from './rules.ts';

export const NANO_PER_USD = 1_000_000_000;

/** The first three are counted per minute, the last one while requests run. */
export type Measure = 'requests' | 'tokens' | 'nanoUsd' | 'at-once';

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

/** Built once per owner: a new string would have to be joined and hashed again at every lookup. */
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
