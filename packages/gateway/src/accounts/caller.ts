// The authenticated caller, as the later stages see it.

import { rangeMatcher } from './address-ranges.ts';
import { matcher } from './patterns.ts';
import type { RateRule, Rights } from './rights.ts';

/** Restrictions that most keys do not have. */
interface CallerBounds {
  readonly protocols?: ReadonlySet<string>;
  readonly endpoints?: ReadonlySet<string>;
  readonly providers?: ReadonlySet<string>;
  mayCallFrom?(address: string): boolean;
  /** Losses that do not fail a strict request. */
  tolerates?(path: string): boolean;
}

export interface Caller {
  /** The key's name or id, never its secret. */
  readonly keyId: string;
  readonly accountId: string;
  /** Every loss becomes an error for this caller. */
  readonly strict: boolean;
  mayUse(modelId: string): boolean;
  readonly bounds?: CallerBounds;
  /** Slow streams of this caller may be hedged with a second request. */
  readonly hedges?: boolean;
  /** The member that owns the key, if any. */
  readonly memberId?: string;
  /** Rate limits of the key itself. */
  readonly rates?: RateRule;
  /** Rate limits of the account, for all its keys together. */
  readonly accountRates?: RateRule;
}

const boundsOf = ({ protocols, endpoints, providers, addresses, tolerates }: Rights): CallerBounds | undefined => {
  const bounds: CallerBounds = {
    ...(protocols !== undefined && { protocols: new Set(protocols) }),
    ...(endpoints !== undefined && { endpoints: new Set(endpoints) }),
    ...(providers !== undefined && { providers: new Set(providers) }),
    ...(addresses !== undefined && { mayCallFrom: rangeMatcher(addresses) }),
    ...(tolerates !== undefined && { tolerates: matcher(tolerates) }),
  };
  return Object.keys(bounds).length === 0 ? undefined : Object.freeze(bounds);
};

export const callerOf = (
  keyId: string,
  accountId: string,
  rights: Rights,
  memberId?: string,
  accountRates?: RateRule,
): Caller => {
  const bounds = boundsOf(rights);
  return Object.freeze({
    keyId,
    accountId,
    strict: rights.strict === true,
    mayUse: matcher(rights.models),
    ...(bounds !== undefined && { bounds }),
    ...(memberId !== undefined && { memberId }),
    ...(rights.rateLimits !== undefined && { rates: rights.rateLimits }),
    ...(accountRates !== undefined && { accountRates }),
  });
};
