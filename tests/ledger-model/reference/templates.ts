/** Which templates count for a request: one for each scope and span, and none where a budget has been set for them. */
import type {
  BudgetBalance,
  LedgerState,
  Nano,
  OnLimit,
  Template,
} from '../../../packages/gateway/src/money/ledger/core/ledger-state.ts';

export type Applied = { readonly scope: string; readonly template: Template };

/** `member` of `member:m`, `tag:team` of `tag:team=red`. */
const kindOf = (scope: string): string => scope.slice(0, scope.indexOf(scope.startsWith('tag:') ? '=' : ':'));

const isKind = ({ each }: Template): boolean => each === 'member' || each === 'key' || /^tag:[^=]*$/.test(each);

/** Whose balance requests without such a value draw on. */
const withoutValue = ({ each }: Template): string => `${each}${each.startsWith('tag:') ? '=' : ':'}`;

export function templatesFor(state: LedgerState, account: string, scopes: readonly string[]): Applied[] {
  const applied: Applied[] = [];
  for (const template of state.templates.get(account) ?? []) {
    const named = scopes.filter((scope) => kindOf(scope) === template.each);
    const values = isKind(template)
      ? named.length > 0
        ? named
        : [withoutValue(template)]
      : ['account', ...scopes].filter((scope) => scope === template.each);
    for (const scope of new Set(values))
      if (templateOf(state, account, scope, template.span) === template && !isSet(state, account, scope, template.span))
        applied.push({ scope, template });
  }
  return applied;
}

const isSet = (state: LedgerState, account: string, scope: string, span: string): boolean =>
  state.budgets.get(account)?.some((budget) => budget.scope === scope && budget.span === span) === true;

/** That of the scope itself goes before that of its kind. */
function templateOf(state: LedgerState, account: string, scope: string, span: string): Template | undefined {
  const templates = (state.templates.get(account) ?? []).filter((template) => template.span === span);
  return templates.find(({ each }) => each === scope) ?? templates.find(({ each }) => each === kindOf(scope));
}

/** The template that names another model for what this balance does not cover. Requests without a required value get none. */
export function onLimitOf(state: LedgerState, { account, scope, span }: BudgetBalance): Named | undefined {
  const template = isSet(state, account, scope, span) ? undefined : templateOf(state, account, scope, span);
  if (template?.onLimit === undefined || isRefused(template, scope)) return undefined;
  return { ...template.onLimit, each: template.each, span: template.span };
}

export type Named = OnLimit & Pick<Template, 'each' | 'span'>;

const isRefused = (template: Template, scope: string): boolean =>
  template.missing === 'refuse' && scope === withoutValue(template);

/** Undefined without a template. Where a value is required, requests without one get nothing, not even what is free. */
export function templateLimit(state: LedgerState, account: string, scope: string, span: string): Nano | undefined {
  const template = templateOf(state, account, scope, span);
  if (template === undefined) return undefined;
  return isRefused(template, scope) ? -1n : template.limit;
}
