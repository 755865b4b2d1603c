/** Budget templates in the admin API: one row bounds each member, key or value of a tag. */
import Type, { type Static, type TSchema } from 'typebox';
import { closed, column, moment, nullable, Page, usd } from '../api/contract.ts';
import { FORMS } from '../api/forms.ts';

/** In the order of ISO 8601, from 1. */
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const name = {
  each: Type.String({
    pattern: FORMS.templateEach,
    description:
      '`member`, `key` or `tag:<name>`: each of them has this budget. `account`, `member:<id>`, `key:<id>` or `tag:<name>=<value>`: this one has, instead of that of its kind.',
  }),
  per: Type.Enum(['day', 'week', 'month', 'total']),
};

const rules = {
  usd,
  timeZone: Type.String({
    pattern: FORMS.timeZone,
    description: 'IANA name, e.g. `Europe/Berlin`: windows start at midnight there. Default: `UTC`.',
    ...column({ en: 'Time zone', de: 'Zeitzone', 'zh-Hans': '时区' }, '140px'),
  }),
  weekStartsOn: Type.Enum([...WEEKDAYS], { description: 'First day of a week. Default: `monday`.' }),
  anchorDay: Type.Integer({
    minimum: 1,
    maximum: 31,
    description: 'Day on which a month window starts; in shorter months the last day. Default: 1.',
  }),
  softPercent: Type.Array(Type.Integer({ minimum: 1, maximum: 99 }), {
    maxItems: 10,
    uniqueItems: true,
    description:
      'Shares of the budget that raise the alert `budget.reached`, once per window. Default: none of its own, `alerts.budgetPercents` apply.',
  }),
  missing: Type.Enum(['refuse', 'shared'], {
    description: 'Requests without such a value: refused (default), or with one budget for all of them.',
  }),
};

const onLimit = <T extends TSchema>(beyond: T) =>
  Type.Union(
    [
      Type.Literal('refuse'),
      Type.Object(
        {
          model: Type.String({ minLength: 1, maxLength: 200, description: 'Id or alias of one model.' }),
          usd: beyond,
        },
        closed,
      ),
    ],
    {
      description:
        'What happens to requests that the budget does not cover: refused (default), or served by this model as far as they fit for it. `usd`: by how many US dollars that model alone may exceed the limit in a window (default: 0).',
    },
  );

export const BudgetTemplate = Type.Object(
  {
    ...name,
    ...rules,
    onLimit: onLimit(usd),
    setBy: Type.Enum(['operator', 'member'], {
      description: 'Members and managing keys of the account change or remove only those that one of them has set.',
    }),
  },
  { ...closed, $id: 'BudgetTemplate' },
);
const { usd: amount, ...defaulted } = rules;
export const BudgetTemplateChange = Type.Object(
  {
    ...name,
    usd: amount,
    ...Type.Partial(Type.Object(defaulted)).properties,
    onLimit: Type.Optional(onLimit(Type.Optional(usd))),
  },
  { ...closed, $id: 'BudgetTemplateChange' },
);
export const BudgetTemplateName = Type.Object(name, closed);
export const BudgetTemplatePage = Type.Object({ ...name, ...Page.properties }, closed);

export const BudgetTemplateValue = Type.Object(
  {
    scope: Type.String({ description: 'The value. Nothing after `member:` or `tag:<name>=`: requests without one.' }),
    usd: nullable(Type.String({ description: 'Limit in US dollars. Null: refused.' })),
    spentUsd: Type.String({ description: 'Charged in the running window.' }),
    heldUsd: Type.String({ description: 'Held for requests in progress, or leased to nodes.' }),
    startsAt: nullable(moment('Start of the window. Null: `total`.')),
    resetsAt: nullable(moment('End of the window. Null: `total`.')),
    onLimitSince: nullable(
      moment(
        'Since when requests do not fit and go to the model of `onLimit`. Null: all have fitted in this window.',
        column({ en: 'At its limit since', de: 'Am Limit seit', 'zh-Hans': '达到限额时间' }, '150px'),
      ),
    ),
  },
  { ...closed, $id: 'BudgetTemplateValue' },
);

export type BudgetTemplate = Static<typeof BudgetTemplate>;
export type BudgetTemplateChange = Static<typeof BudgetTemplateChange>;
export type BudgetTemplateValue = Static<typeof BudgetTemplateValue>;
