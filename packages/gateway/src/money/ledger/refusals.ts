/** Errors for callers whose money does not suffice, or when the ledger cannot be reached. */
import type { Fault } from '@trivium/protocol/canonical';

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

export const overBudgetOf = (scope: string): Fault =>
  scope === ''
    ? OVER_BUDGET
    : { kind: 'over-budget', message: `The budget of ${nameOf(scope)} does not cover this request.` };

const TAG = 'tag:';
/** Tags are named as the caller wrote them; a caller knows his own key and member. */
const nameOf = (scope: string): string =>
  /^(member|key):$|^tag:[^=]*=$/.test(scope)
    ? `requests without a ${scope.slice(0, -1).replace(TAG, 'tag ')}`
    : scope.startsWith(TAG)
      ? `the tag ${scope.slice(TAG.length)}`
      : scope === 'group'
        ? 'the group this account belongs to'
        : `this ${scope.split(':')[0]}`;

export const unpricedOf = (unpriced: readonly string[]): Fault => ({
  kind: 'over-budget',
  message: `This model has no price for ${unpriced.join(', ')}; the operator can set one under catalogue.changes.`,
});
