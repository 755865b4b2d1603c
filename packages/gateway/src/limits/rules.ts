/** Which limits hold for a request: of its key, its account and its model, in requests, tokens, money and at once. */

import type { RateRule } from '../accounts/rights.ts';

/** A rule for each of a kind, and rules of their own for some, member by member in place of it. */
export type ScopeRules = { readonly each: RateRule; readonly own: Readonly<Record<string, RateRule>> };

export const SCOPES = ['key', 'account', 'model'] as const;
export type Scope = (typeof SCOPES)[number];
export type RateRules = Readonly<Record<Scope, ScopeRules>> & {
  /** How many processes hold these limits together; each enforces its share. */
  readonly processes: number;
};

/** Asked three times in every request. */
const isEmpty = (rule: RateRule): boolean => {
  for (const _limit in rule) return false;
  return true;
};

export const hasRules = (rules: RateRules): boolean =>
  SCOPES.some((scope) => !isEmpty(rules[scope].each) || Object.keys(rules[scope].own).length > 0);

/** `stored`: with the owner itself, in the database; goes before the configuration. */
export const ruleOf = ({ each, own }: ScopeRules, id: string, stored?: RateRule): RateRule | undefined => {
  const special = Object.hasOwn(own, id) ? own[id] : undefined;
  const rule = special === undefined && stored === undefined ? each : { ...each, ...special, ...stored };
  return isEmpty(rule) ? undefined : rule;
};
