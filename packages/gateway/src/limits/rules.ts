/** Which limits hold for a request: of its key, its account and its model, in requests, tokens, money and at once. */

/** What may be used in a minute, and how much may run at once. Absent: no limit. */
export type RateRule = {
  readonly requestsPerMinute?: number;
  /** Of requests: how many may come at once. */
  readonly burst?: number;
  readonly tokensPerMinute?: number;
  readonly usdPerMinute?: number;
  readonly inFlight?: number;
};

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

export const ruleOf = ({ each, own }: ScopeRules, id: string): RateRule | undefined => {
  const special = Object.hasOwn(own, id) ? own[id] : undefined;
  const rule = special === undefined ? each : { ...each, ...special };
  return isEmpty(rule) ? undefined : rule;
};
