/**
 * What bounds a request, worked out anew from the rows by another calendar than the ledger's, and in another order: scope by scope and
 * span by span, the budget that was set, else the template of the scope, else that of its kind.
 */
import type {
  LedgerState,
  Nano,
  OnLimit,
  TemplateSpan,
  WindowRule,
} from '../../packages/gateway/src/money/ledger/core/ledger-state.ts';

type Day = {
  readonly dayOfWeek: number;
  readonly day: number;
  readonly daysInMonth: number;
  add(of: { readonly days?: number; readonly months?: number }): Day;
  subtract(of: { readonly days?: number; readonly months?: number }): Day;
  with(of: { readonly day: number }): Day;
  toZonedDateTime(timeZone: string): { readonly epochMilliseconds: number };
};
/** Node has it, the compiler does not know it yet. */
declare const Temporal: {
  readonly Instant: {
    fromEpochMilliseconds(ms: number): { toZonedDateTimeISO(timeZone: string): { toPlainDate(): Day } };
  };
};

export type Window = { readonly startMs: number; readonly endMs: number };

const SPANS = ['day', 'week', 'month', 'total'] as const;
const BOUNDLESS_MS = Number.MAX_SAFE_INTEGER;
const UTC: WindowRule = { timeZone: 'UTC', weekStartsOn: 1, anchorDay: 1 };

/** By Temporal. */
export function windowAround(span: TemplateSpan, rule: WindowRule, atMs: number): Window {
  if (span === 'total') return { startMs: 0, endMs: BOUNDLESS_MS };
  const today = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(rule.timeZone).toPlainDate();
  const [first, next] = { day: dayAround, week: weekAround, month: monthAround }[span](today, rule);
  const midnight = (day: Day): number => day.toZonedDateTime(rule.timeZone).epochMilliseconds;
  return { startMs: midnight(first), endMs: midnight(next) };
}

type Around = (today: Day, rule: WindowRule) => readonly [Day, Day];
const dayAround: Around = (today) => [today, today.add({ days: 1 })];
const weekAround: Around = (today, { weekStartsOn }) => {
  let first = today;
  while (first.dayOfWeek !== weekStartsOn) first = first.subtract({ days: 1 });
  return [first, first.add({ days: 7 })];
};
const monthAround: Around = (today, { anchorDay }) => {
  const startIn = (month: Day): Day => month.with({ day: Math.min(anchorDay, month.daysInMonth) });
  const firstOfMonth = today.with({ day: 1 });
  const [last, here, next] = [-1, 0, 1].map((months) => startIn(firstOfMonth.add({ months }))) as [Day, Day, Day];
  return today.day < here.day ? [last, here] : [here, next];
};

export type Bound = Window & {
  /** Of its balance. */
  readonly key: string;
  readonly scope: string;
  readonly span: TemplateSpan;
  readonly limit: Nano;
  /** The model that is called where this does not suffice, and how far it may go. */
  readonly onLimit?: { readonly model: string; readonly limit: Nano };
};

/** What is left of it for a request; a negative amount leaves nothing. */
export function leftIn({ limit, onLimit }: Bound, spent: Nano, instead: string): Nano {
  if (onLimit === undefined || onLimit.model !== instead) return limit - spent;
  return spent > onLimit.limit ? 0n : onLimit.limit - spent;
}

export function boundsOf(state: LedgerState, account: string, scopes: readonly string[], atMs: number): Bound[] {
  const budgets = state.budgets.get(account) ?? [];
  const templates = state.templates.get(account) ?? [];
  const bounds: Bound[] = [];
  const bind = (scope: string, span: TemplateSpan, limit: Nano, rule: WindowRule, named?: OnLimit): void => {
    const window = windowAround(span, rule, atMs);
    const bound = { ...window, key: `${account} ${scope} ${span} ${window.startMs}`, scope, span, limit };
    bounds.push(
      named === undefined ? bound : { ...bound, onLimit: { model: named.model, limit: limit + named.beyond } },
    );
  };
  for (const span of SPANS) {
    for (const scope of ['account', ...scopes]) {
      const budget = budgets.find((each) => each.scope === scope && each.span === span);
      const [kind] = scope.split(scope.startsWith('tag:') ? '=' : ':');
      const template =
        templates.find((each) => each.each === scope && each.span === span) ??
        templates.find((each) => each.each === kind && each.span === span);
      if (budget !== undefined) bind(scope, span, budget.limit, UTC);
      else if (template !== undefined) bind(scope, span, template.limit, template, template.onLimit);
    }
    for (const template of templates) {
      const { each, missing, limit } = template;
      const end = each.startsWith('tag:') ? '=' : ':';
      if (each === 'account' || each.includes(end) || template.span !== span) continue;
      if (scopes.some((scope) => scope.startsWith(`${each}${end}`))) continue;
      if (missing === 'shared') bind(`${each}${end}`, span, limit, template, template.onLimit);
      else bind(`${each}${end}`, span, -1n, template);
    }
  }
  return bounds;
}
