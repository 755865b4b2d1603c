/**
 * The limits that apply to a request: those of its key, its account and its model, in requests, tokens, money and
 * concurrency.
 */

import type { RateRule } from '../../kernel/caller.ts';

/** `each`: the default rule; `own`: rules of single owners, which override it field by field. */
export type ScopeRules = { readonly each: RateRule; readonly own: Readonly<Record<string, RateRule>> };

const SCOPES = ['key', 'account', 'model'] as const;
export type Scope = (typeof SCOPES)[number];
export type RateRules = Readonly<Record<Scope, ScopeRules>> & {
  /** Number of processes that share these limits; each enforces its share. */
  readonly processes: number;
};

const isEmpty = (rule: RateRule): boolean => Object.keys(rule).length === 0;

export const hasRules = (rules: RateRules): boolean =>
  SCOPES.some((scope) => !isEmpty(rules[scope].each) || Object.keys(rules[scope].own).length > 0);

/** `stored`: the owner's rule in the database; takes precedence over the configuration. */
export const ruleOf = ({ each, own }: ScopeRules, id: string, stored?: RateRule): RateRule | undefined => {
  const special = Object.hasOwn(own, id) ? own[id] : undefined;
  const rule = special === undefined && stored === undefined ? each : { ...each, ...special, ...stored };
  return isEmpty(rule) ? undefined : rule;
};
