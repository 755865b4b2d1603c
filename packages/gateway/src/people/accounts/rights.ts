// What a key may do, as data, and the rule that prevents privilege escalation: a key made by a key has no more rights
// than its maker.

import { type OperationKind, PROTOCOL_NAMES } from '@trivium/protocol/canonical';
import type { RateRule } from '../../kernel/caller.ts';
import { allRangesCovered } from './address-ranges.ts';
import { allCovered, commonPatterns } from './patterns.ts';

export const ROLES = ['viewer', 'developer', 'admin', 'owner'] as const;
/** Ascending: each role includes the ones before. */
export type Role = (typeof ROLES)[number];

export const KEY_PROTOCOLS = PROTOCOL_NAMES;
/** Every operation, so that a new one cannot be forgotten, and token counting. */
const ENDPOINTS: Readonly<Record<OperationKind | 'video' | 'passthrough' | 'count', true>> = {
  text: true,
  embed: true,
  rerank: true,
  moderate: true,
  image: true,
  video: true,
  passthrough: true,
  count: true,
  speech: true,
  transcription: true,
};
export const KEY_ENDPOINTS = Object.keys(ENDPOINTS) as (keyof typeof ENDPOINTS)[];

/** An absent list allows everything, an empty one nothing. */
export type Rights = {
  readonly models?: readonly string[];
  readonly providers?: readonly string[];
  readonly protocols?: readonly string[];
  readonly endpoints?: readonly string[];
  /** Addresses or ranges that callers may come from. */
  readonly addresses?: readonly string[];
  /** ISO 8601; absent: never. */
  readonly expiresAt?: string;
  readonly strict?: boolean;
  /** Losses that do not fail a strict request, by the path they are reported under; a trailing `*` is allowed. */
  readonly tolerates?: readonly string[];
  /** The key's own limits; absent ones are as configured for every key. */
  readonly rateLimits?: RateRule;
  /** Its role at the admin API for its account; absent: none. */
  readonly manages?: Role;
};

/** The most that the keys of a member may do, as groups of an identity provider set it. */
export type MemberRights = Pick<Rights, 'models' | 'providers' | 'protocols' | 'endpoints' | 'rateLimits'>;

export const roleRank = (role: Role | undefined): number => (role === undefined ? -1 : ROLES.indexOf(role));

const listWithin = (
  child: readonly string[] | undefined,
  parent: readonly string[] | undefined,
  covered: (inner: readonly string[], outer: readonly string[]) => boolean,
): boolean => parent === undefined || (child !== undefined && covered(child, parent));

const sameNames = (inner: readonly string[], outer: readonly string[]): boolean =>
  inner.every((name) => outer.includes(name));

const endsInTime = (child: string | undefined, parent: string | undefined): boolean =>
  parent === undefined || (child !== undefined && Date.parse(child) <= Date.parse(parent));

/** A key that is not strict tolerates every loss. */
const asStrict = (child: Rights, parent: Rights): boolean =>
  parent.strict !== true || (child.strict === true && allCovered(child.tolerates ?? [], parent.tolerates ?? []));

const ratesWithin = (child: RateRule, parent: RateRule): boolean =>
  RATES.every((name) => (child[name] ?? Number.POSITIVE_INFINITY) <= (parent[name] ?? Number.POSITIVE_INFINITY));
const RATES = ['requestsPerMinute', 'burst', 'tokensPerMinute', 'usdPerMinute', 'inFlight'] as const;

const WITHIN: Readonly<Record<string, (child: Rights, parent: Rights) => boolean>> = {
  models: (child, parent) => listWithin(child.models, parent.models, allCovered),
  providers: (child, parent) => listWithin(child.providers, parent.providers, sameNames),
  protocols: (child, parent) => listWithin(child.protocols, parent.protocols, sameNames),
  endpoints: (child, parent) => listWithin(child.endpoints, parent.endpoints, sameNames),
  addresses: (child, parent) => listWithin(child.addresses, parent.addresses, allRangesCovered),
  expiresAt: (child, parent) => endsInTime(child.expiresAt, parent.expiresAt),
  strict: asStrict,
  rateLimits: (child, parent) => ratesWithin(child.rateLimits ?? {}, parent.rateLimits ?? {}),
  manages: (child, parent) => roleRank(child.manages) <= roleRank(parent.manages),
};

/** The rights in which a child would exceed its parent; empty if none. */
export const excessOf = (child: Rights, parent: Rights): readonly string[] =>
  Object.entries(WITHIN).flatMap(([name, isWithin]) => (isWithin(child, parent) ? [] : [name]));

const commonNames = (one: readonly string[], other: readonly string[]): readonly string[] =>
  one.filter((name) => other.includes(name));

const lowerRates = (one: RateRule, other: RateRule): RateRule => {
  const least: { -readonly [Name in keyof RateRule]: number } = { ...one, ...other };
  for (const name of RATES) {
    const rate = Math.min(one[name] ?? Number.POSITIVE_INFINITY, other[name] ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(rate)) least[name] = rate;
  }
  return least;
};

/** What both allow. */
export function withinCeiling(rights: Rights, ceiling: MemberRights | undefined): Rights {
  if (ceiling === undefined) return rights;
  const lowered: { -readonly [Name in keyof Rights]: Rights[Name] } = { ...rights, ...ceiling };
  for (const name of ['models', 'providers', 'protocols', 'endpoints'] as const) {
    const [own, most] = [rights[name], ceiling[name]];
    if (own !== undefined && most !== undefined)
      lowered[name] = name === 'models' ? commonPatterns(own, most) : commonNames(own, most);
  }
  if (rights.rateLimits !== undefined && ceiling.rateLimits !== undefined)
    lowered.rateLimits = lowerRates(rights.rateLimits, ceiling.rateLimits);
  return lowered;
}

/** The requested rights, completed with the parent's limits that were left out. */
export const inheriting = (asked: Rights, parent: Rights): Rights => {
  const { manages: _kept, ...limits } = parent;
  const rateLimits = { ...parent.rateLimits, ...asked.rateLimits };
  return { ...limits, ...asked, ...(Object.keys(rateLimits).length > 0 && { rateLimits }) };
};
