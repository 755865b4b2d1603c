/** Errors for callers whose money does not suffice, or when the ledger cannot be reached. */
import type { Fault } from '@trivium/protocol/canonical';
import type { OnLimitDecision } from '../../kernel/record.ts';
import type { Instead } from './core/commands.ts';
import type { Terms } from './ledger-database.ts';

export const OVER_BUDGET: Fault = {
  kind: 'over-budget',
  message: 'The credit of this account does not cover this request.',
};

export const OUT_OF_TOUCH: Fault = {
  kind: 'overloaded',
  message: 'The ledger cannot be reached; nothing was sent. Please try again.',
  retryAfterMs: 2_000,
};

/** Staggered, so that callers who are refused together do not retry together. */
const BACKLOGGED: readonly Fault[] = [1000, 2000, 3000].map((retryAfterMs) => ({
  kind: 'overloaded',
  message: 'Settlements of this account arrive faster than they can be posted; nothing was sent. Try again shortly.',
  retryAfterMs,
}));

export const backlogged = (count: number): Fault => BACKLOGGED[count % BACKLOGGED.length]!;

export const overBudgetOf = (scope: string, instead?: Instead): Fault => {
  if (scope === '' && instead === undefined) return OVER_BUDGET;
  const fault: Fault =
    scope === ''
      ? { ...OVER_BUDGET }
      : { kind: 'over-budget', message: `The budget of ${nameOf(scope)} does not cover this request.` };
  if (instead !== undefined) INSTEAD.set(fault, instead);
  if (scope !== '') SCOPES.set(fault, scope);
  const kind = kindWithoutValue(scope);
  if (kind !== undefined) WITHOUT_VALUE.set(fault, kind);
  return fault;
};

/** Refusals of requests for which a template names another model. */
const INSTEAD = new WeakMap<Fault, Instead>();

/** Refusals by a budget, with its scope. */
const SCOPES = new WeakMap<Fault, string>();

/** Undefined: the credit of the account was short. */
export const refusedScope = (refusal: Fault): string | undefined => SCOPES.get(refusal);

export const onLimitOf = (refusal: Fault): OnLimitDecision | undefined => {
  const instead = INSTEAD.get(refusal);
  return instead && { model: instead.model, budget: `each ${instead.each} per ${instead.span}` };
};

/** Refusals of requests that have no value for a template, with the kind of value. */
const WITHOUT_VALUE = new WeakMap<Fault, string>();

/** `member` of `member:`, `tag:team` of `tag:team=`: the scopes of requests without a value. */
const kindWithoutValue = (scope: string): string | undefined => /^(member|key|tag:[^=]*)[:=]$/.exec(scope)?.[1];

/** The request was refused by a template that these terms do not know. */
export const isForUnknownTemplate = (fault: Fault, { each }: Terms): boolean => {
  const kind = WITHOUT_VALUE.get(fault);
  return kind !== undefined && each?.has(kind) !== true;
};

const TAG = 'tag:';
/** Tags are named as the caller wrote them; a caller knows his own key and member. */
function nameOf(scope: string): string {
  const missing = kindWithoutValue(scope);
  if (missing !== undefined) return `requests without a ${missing.replace(TAG, 'tag ')}`;
  if (scope.startsWith(TAG)) return `the tag ${scope.slice(TAG.length)}`;
  return scope === 'group' ? 'the group this account belongs to' : `this ${scope.split(':')[0]}`;
}

export const unpricedOf = (unpriced: readonly string[]): Fault => ({
  kind: 'over-budget',
  message: `This model has no price for ${unpriced.join(', ')}; the operator can set one under catalogue.changes.`,
});
