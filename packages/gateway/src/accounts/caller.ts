// Who is calling, as the stages after authentication see it.

import { rangeMatcher } from './address-ranges.ts';
import { matcher } from './patterns.ts';
import type { RateRule, Rights } from './rights.ts';

/** What most keys lack: limits beside models. */
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
  /** Streams of this caller may be asked for twice when the first is late. */
  readonly hedges?: boolean;
  /** Whose key it is, if a member's. */
  readonly memberId?: string;
  /** Limits of the key itself. */
  readonly rates?: RateRule;
  /** Limits of the account, for all its keys together. */
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
