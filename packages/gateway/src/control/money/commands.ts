/** `trivium credits …`, `budgets …`, `orders …` and `ledger entries`: an account's balance and how it came about. */

import type { Static } from 'typebox';
import { type CommandGroup, commandFor } from '../api/command.ts';
import type {
  Budget,
  BudgetChange,
  BudgetName,
  Credit,
  Deposit,
  LedgerPage,
  NewOrder,
  Order,
  ShownEntry,
} from './contract.ts';
import type {
  BudgetTemplate,
  BudgetTemplateChange,
  BudgetTemplateName,
  BudgetTemplatePage,
  BudgetTemplateValue,
} from './template-contract.ts';

export const ledgerCommands: CommandGroup = {
  group: 'ledger',
  about: 'entries of an account, and the check of the ledger',
  commands: [
    commandFor<ShownEntry, Static<typeof LedgerPage>>()({
      command: 'ledger entries <account>',
      about: 'list the entries of an account with the balance after each, newest first',
      call: 'GET /accounts/{account}/ledger',
      options: {
        from: ['--from <time>', 'written at or after this time'],
        until: ['--until <time>', 'written before this time'],
        '-limit': ['--limit <rows>', 'most rows', { default: '50' }],
        '-csv': ['--csv', 'print a statement as CSV, oldest first'],
      },
      columns: ['at', 'kind', 'amountUsd', 'balanceUsd', 'id', 'memo'],
    }),
  ],
};

export const creditCommands: CommandGroup = {
  group: 'credits',
  about: 'show and add credit of an account',
  commands: [
    commandFor<Credit>()({
      command: 'credits show <account>',
      about: 'show what was paid in and spent, and what is held',
      call: 'GET /accounts/{account}/credits',
    }),
    commandFor<Credit, Static<typeof Deposit>>()({
      command: 'credits add <account> <usd>',
      about: 'add credit in US dollars',
      call: 'POST /accounts/{account}/credits',
      options: {
        usd: ['<usd>', ''],
        id: ['--id <id>', 'id of this payment; a second one with the same id changes nothing'],
        memo: ['--memo <text>', 'text to store with the entry'],
      },
    }),
  ],
};

const TEMPLATE = {
  each: ['--each <kind>', 'member, key or tag:<name>; or one: account, member:<id>, …', { default: 'member' }],
  per: ['--per <span>', 'day, week, month or total', { default: 'month' }],
} as const;

const NAME = {
  scope: ['--scope <scope>', 'account, group, key:<id>, member:<id> or tag:<name>=<value>', { default: 'account' }],
  span: ['--per <span>', 'day, month or total', { default: 'month' }],
} as const;

export const budgetCommands: CommandGroup = {
  group: 'budgets',
  about: 'spending limits of accounts, keys, members and tags',
  commands: [
    commandFor<Static<typeof Budget>>()({
      command: 'budgets list <account>',
      about: 'list the budgets of an account, its keys and members',
      call: 'GET /accounts/{account}/budgets',
      columns: [
        'scope',
        { of: 'span', title: 'per' },
        { of: 'usd', title: 'limit' },
        'spentUsd',
        'heldUsd',
        'setBy',
        'name',
      ],
    }),
    commandFor<Static<typeof Budget>, Static<typeof BudgetChange>>()({
      command: 'budgets set <account> <usd>',
      about: 'set a spending limit (USD)',
      call: 'POST /accounts/{account}/budgets',
      options: { usd: ['<usd>', ''], ...NAME },
    }),
    commandFor<Static<typeof Budget>, Static<typeof BudgetName>>()({
      command: 'budgets remove <account>',
      about: 'remove a spending limit',
      call: 'DELETE /accounts/{account}/budgets',
      options: NAME,
    }),
    commandFor<BudgetTemplate>()({
      command: 'budgets templates <account>',
      about: 'list the budget templates of an account',
      call: 'GET /accounts/{account}/budget-templates',
      columns: [
        'each',
        'per',
        { of: 'usd', title: 'limit' },
        'timeZone',
        'weekStartsOn',
        'anchorDay',
        'softPercent',
        'missing',
        'onLimit',
        'setBy',
      ],
    }),
    commandFor<BudgetTemplate, BudgetTemplateChange>()({
      command: 'budgets set-template <account> <usd>',
      about: 'set a spending limit (USD) for each member, key or value of a tag',
      call: 'POST /accounts/{account}/budget-templates',
      options: {
        usd: ['<usd>', ''],
        ...TEMPLATE,
        timeZone: ['--time-zone <name>', 'IANA time zone of days, weeks and months (default: UTC)'],
        weekStartsOn: ['--week-starts-on <day>', 'first day of a week (default: monday)', { form: 'lowercase' }],
        anchorDay: ['--anchor-day <day>', 'day on which a month starts (default: 1)', { form: 'number' }],
        softPercent: ['--soft <percents>', 'raise an alert at these shares, e.g. 75,95', { form: 'numbers' }],
        missing: ['--missing <how>', 'requests without such a value: refuse or shared (default: refuse)'],
        'onLimit.model': [
          '--on-limit <model>',
          'serve what the budget does not cover by this model (default: refuse it)',
        ],
        'onLimit.usd': ['--on-limit-usd <usd>', 'by how much that model may exceed the limit (default: 0)'],
      },
    }),
    commandFor<BudgetTemplate, Static<typeof BudgetTemplateName>>()({
      command: 'budgets remove-template <account>',
      about: 'remove a budget template',
      call: 'DELETE /accounts/{account}/budget-templates',
      options: TEMPLATE,
    }),
    commandFor<BudgetTemplateValue, Static<typeof BudgetTemplatePage>>()({
      command: 'budgets values <account>',
      about: 'list what each value has spent of a template in the running window',
      call: 'GET /accounts/{account}/budget-templates/values',
      options: { ...TEMPLATE, '-limit': ['--limit <rows>', 'most rows', { default: '50' }] },
      columns: ['scope', { of: 'usd', title: 'limit' }, 'spentUsd', 'heldUsd', 'startsAt', 'resetsAt', 'onLimitSince'],
    }),
  ],
};

export const orderCommands: CommandGroup = {
  group: 'orders',
  about: 'orders to be paid through a payment provider',
  commands: [
    commandFor<Order>()({
      command: 'orders list <account>',
      about: 'list the orders of an account',
      call: 'GET /accounts/{account}/orders',
      columns: ['id', 'provider', 'amountMinor', 'currency', 'creditUsd', 'state', 'paidAt'],
    }),
    commandFor<Order>()({
      command: 'orders show <account> <order>',
      about: 'show one order',
      call: 'GET /accounts/{account}/orders/{order}',
    }),
    commandFor<Order, Static<typeof NewOrder>>()({
      command: 'orders create <account>',
      about: 'create an order; pass its id to the checkout',
      call: 'POST /accounts/{account}/orders',
      options: {
        provider: ['--provider <name>', 'a payment provider of the configuration', { required: true }],
        amountMinor: [
          '--amount <number>',
          "what is to be paid, in the currency's smallest unit",
          { form: 'number', required: true },
        ],
        creditUsd: ['--credit <usd>', 'the credit it gives, in US dollars', { required: true }],
        currency: ['--currency <code>', 'ISO 4217 code', { form: 'lowercase', default: 'usd' }],
        id: ['--id <id>', 'order id (default: generated)'],
      },
    }),
  ],
};
