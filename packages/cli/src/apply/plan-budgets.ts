// Budgets of an account, its members and its keys: set where an amount differs, removed with `--prune`.

import { type FileBudgets, memberLabel, parseUsd } from '@trivium/gateway/accounts-file';
import type { Planning } from './planning.ts';

interface Scope {
  /** As files name it: `account`, `member:<label>` or `key:<name>`. */
  readonly label: string;
  readonly budgets: FileBudgets | undefined;
  /** Its scope in the API; undefined while the member or key it limits does not exist yet. */
  id(): string | undefined;
}

const scopesOf = ({ account, ids }: Planning): readonly Scope[] => {
  const scopeOf = (kind: 'member' | 'key', label: string, budgets: FileBudgets | undefined): Scope => ({
    label: `${kind}:${label}`,
    budgets,
    id: () => {
      const id = ids[`${kind}s`].get(label);
      return id === undefined ? undefined : `${kind}:${id}`;
    },
  });
  return [
    { label: 'account', budgets: account.budgets, id: () => 'account' },
    ...(account.members ?? []).map((member) => scopeOf('member', memberLabel(member), member.budgets)),
    ...(account.keys ?? []).map((key) => scopeOf('key', key.name, key.budgets)),
  ];
};

const planScope = ({ plan, api, account, current, path }: Planning, { label, budgets, id }: Scope): void => {
  if (budgets === undefined) return;
  const scopeNow = id();
  const set = new Map(
    (current?.budgets ?? []).filter(({ scope }) => scope === scopeNow).map(({ span, usd }) => [span, usd]),
  );
  const nameOf = (span: string): string => `${account.id}/${label} per ${span}`;
  for (const [span, usd] of Object.entries(budgets)) {
    const before = set.get(span);
    if (before !== undefined && parseUsd(before, 'usd') === parseUsd(usd, 'usd')) continue;
    plan.steps.push({
      action: before === undefined ? 'create' : 'change',
      kind: 'budget',
      name: nameOf(span),
      ...(before !== undefined && { before: { usd: before } }),
      after: { usd },
      run: async () => void (await api.call('POST', `${path}/budgets`, { scope: id(), span, usd })),
    });
  }
  for (const [span, usd] of set)
    if (!Object.hasOwn(budgets, span)) {
      const query = new URLSearchParams({ scope: scopeNow ?? label, span });
      plan.removals.push({
        action: 'remove',
        kind: 'budget',
        name: nameOf(span),
        before: { usd },
        run: async () => void (await api.call('DELETE', `${path}/budgets?${query}`)),
      });
    }
};

export const planBudgets = (planning: Planning): void => {
  for (const scope of scopesOf(planning)) planScope(planning, scope);
};
