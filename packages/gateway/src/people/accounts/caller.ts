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

/** What a caller was made of, as plain data. */
export type CallerParts = {
  readonly keyId: string;
  readonly accountId: string;
  readonly rights: Rights;
  readonly memberId?: string | undefined;
  readonly accountRates?: RateRule | undefined;
  readonly grant?: CallerGrant | undefined;
  readonly tags?: Caller['tags'];
};

const PARTS = new WeakMap<Caller, CallerParts>();

/** For work that outlives the process; undefined for a caller made in another way. */
export function partsOfCaller(caller: Caller): CallerParts | undefined {
  const parts = PARTS.get(caller);
  if (parts === undefined) return undefined;
  // A key of the configuration has more members than its rights.
  const { models, providers, protocols, endpoints, strict, tolerates, rateLimits } = parts.rights;
  return { ...parts, rights: definedOf({ models, providers, protocols, endpoints, strict, tolerates, rateLimits }) };
}

const definedOf = (rights: { readonly [Name in keyof Rights]: Rights[Name] | undefined }): Rights =>
  Object.fromEntries(Object.entries(rights).filter(([, value]) => value !== undefined)) as Rights;

export const callerFrom = ({ keyId, accountId, rights, memberId, accountRates, grant, tags }: CallerParts): Caller =>
  callerOf(keyId, accountId, rights, memberId, accountRates, grant, tags);

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
  const caller: Caller = Object.freeze({
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
  PARTS.set(caller, { keyId, accountId, rights, memberId, accountRates, grant, tags });
  return caller;
};
