// A key's rights as the later stages ask for them.

import type { Caller, CallerBounds, CallerGrant, RateRule } from '../../kernel/caller.ts';
import { rangeMatcher } from './address-ranges.ts';
import { matcher } from './patterns.ts';
import type { Rights } from './rights.ts';

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
  grant?: CallerGrant,
  tags?: Caller['tags'],
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
    ...(grant !== undefined && { grant }),
    ...(tags !== undefined && { tags }),
  });
};
