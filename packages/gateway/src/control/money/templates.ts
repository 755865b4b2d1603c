/** Budget templates at the admin API, and what each value has spent in the running window. */
import { formatNanoUsd } from '../../kernel/usd.ts';
import type { StoredTemplate } from '../../money/ledger/budget-templates.ts';
import { isTimeZone } from '../../money/usage/time-zone.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { listOfItems } from '../api/contract.ts';
import type { MoneyPorts } from '../api/credit-port.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { pageSize, routeWith } from '../api/route.ts';
import { parseUsd } from '../api/usd.ts';
import { noteOf, operatorsBudget, requireScope, setterOf } from './credits.ts';
import {
  BudgetTemplate,
  BudgetTemplateChange,
  BudgetTemplateName,
  BudgetTemplatePage,
  BudgetTemplateValue,
  WEEKDAYS,
} from './template-contract.ts';

const route = routeWith<MoneyPorts>();

const LIST = '/accounts/{account}/budget-templates';

export const showTemplate = ({
  each,
  span,
  limit,
  weekStartsOn,
  softPercent,
  onLimit,
  ...rest
}: StoredTemplate): BudgetTemplate => ({
  each,
  per: span,
  usd: formatNanoUsd(limit),
  ...rest,
  weekStartsOn: WEEKDAYS[weekStartsOn - 1]!,
  softPercent: [...softPercent],
  onLimit: onLimit === undefined ? 'refuse' : { model: onLimit.model, usd: formatNanoUsd(onLimit.beyond) },
});

export function readTemplate(body: BudgetTemplateChange, setBy: StoredTemplate['setBy']): StoredTemplate {
  const { each, per, usd, timeZone = 'UTC', weekStartsOn = 'monday', anchorDay = 1, missing = 'refuse' } = body;
  const limit = positive(usd, 'usd');
  if (!isTimeZone(timeZone)) throw unknownTimeZone(timeZone);
  const week = WEEKDAYS.indexOf(weekStartsOn) + 1;
  const softPercent = [...(body.softPercent ?? [])].sort((one, other) => one - other);
  const { onLimit = 'refuse' } = body;
  return {
    each,
    span: per,
    limit,
    timeZone,
    weekStartsOn: week,
    anchorDay,
    missing,
    softPercent,
    setBy,
    ...(onLimit !== 'refuse' && {
      onLimit: { model: onLimit.model, beyond: positive(onLimit.usd ?? '0', 'onLimit.usd') },
    }),
  };
}

function positive(usd: string, field: string): bigint {
  const nano = parseUsd(usd, field);
  if (nano < 0n) throw new AdminProblem('invalid', 'must not be negative', field);
  return nano;
}

const unknownTimeZone = (timeZone: string): AdminProblem =>
  new AdminProblem('invalid', `Time zone "${timeZone}" not found. Use an IANA name such as Europe/Berlin.`, 'timeZone');

const momentOf = (span: StoredTemplate['span'], ms: number): string | null =>
  span === 'total' ? null : new Date(ms).toISOString();

export const templateRoutes = [
  route({
    method: 'GET',
    path: LIST,
    name: 'listBudgetTemplates',
    summary: 'Lists the budget templates of an account.',
    permission: 'viewer',
    answer: listOfItems(BudgetTemplate),
    run: async ({ store, templates, accountId }) => {
      await requireAccount(store, accountId);
      return { items: (await templates.list(accountId)).map(showTemplate), next: null };
    },
  }),
  route({
    method: 'POST',
    path: LIST,
    name: 'setBudgetTemplate',
    summary: 'Sets one budget for each member, key or value of a tag. A budget of the same scope and span replaces it.',
    permission: 'admin',
    body: BudgetTemplateChange,
    answer: BudgetTemplate,
    run: async ({ store, templates, actor, accountId, body }) => {
      await requireAccount(store, accountId);
      const { each } = body;
      await requireScope(store, accountId, each.startsWith('tag:') && !each.includes('=') ? `${each}=` : each, 'each');
      const template = readTemplate(body, setterOf(actor));
      const shown = showTemplate(template);
      const { onLimit } = template;
      if (onLimit !== undefined && !templates.isModel(onLimit.model))
        throw new AdminProblem('invalid', `Model "${onLimit.model}" not found.`, 'onLimit.model');
      const outcome = await templates.set(accountId, template, noteOf(accountId, actor, 'budget.set-template', shown));
      if (outcome === 'operators') throw operatorsBudget();
      if (outcome === 'time-zone') throw unknownTimeZone(template.timeZone);
      return shown;
    },
  }),
  route({
    method: 'DELETE',
    path: LIST,
    name: 'removeBudgetTemplate',
    summary: 'Deletes a budget template. What was spent counts again if it is set again within the window.',
    permission: 'admin',
    query: BudgetTemplateName,
    answer: BudgetTemplateName,
    run: async ({ store, templates, actor, accountId, query }) => {
      await requireAccount(store, accountId);
      const note = noteOf(accountId, actor, 'budget.remove-template', query);
      const outcome = await templates.remove(accountId, query.each, query.per, note, setterOf(actor));
      if (outcome === 'operators') throw operatorsBudget();
      if (outcome === 'none') throw notFound('Budget template', `each ${query.each} per ${query.per}`);
      return query;
    },
  }),
  route({
    method: 'GET',
    path: `${LIST}/values`,
    name: 'listBudgetTemplateValues',
    summary: 'Lists what each value has spent of a template in the running window, in the order of scopes.',
    permission: 'viewer',
    query: BudgetTemplatePage,
    answer: listOfItems(BudgetTemplateValue),
    run: async ({ store, templates, accountId, query }) => {
      await requireAccount(store, accountId);
      const { each, per, after = '' } = query;
      const limit = pageSize(query.limit);
      const balances = await templates.balances(accountId, each, per, after, limit);
      const items = balances.map((of) => ({
        scope: of.scope,
        usd: of.limit < 0n ? null : formatNanoUsd(of.limit),
        spentUsd: formatNanoUsd(of.posted),
        heldUsd: formatNanoUsd(of.pending),
        startsAt: momentOf(per, of.startMs),
        resetsAt: momentOf(per, of.endMs),
        onLimitSince: of.onLimitMs === null ? null : new Date(of.onLimitMs).toISOString(),
      }));
      return { items, next: items.length === limit ? (items.at(-1)?.scope ?? null) : null };
    },
  }),
];
