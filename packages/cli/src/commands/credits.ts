// `trivium credits …` and `trivium budgets …`: what an account has, and how much of it may be used.

import type { Command } from 'commander';
import {
  type AdminOptions,
  callAdmin,
  listAdmin,
  part,
  printOne,
  printRows,
  withAdminOptions,
} from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';

type PaidIn = AdminOptions & { readonly id?: string; readonly memo?: string };
type Bounded = AdminOptions & { readonly scope: string; readonly per: string };

const BUDGET_COLUMNS = ['scope', 'span', 'usd', 'spentUsd', 'heldUsd'];

export const addCredits = (program: Command, terminal: Terminal): void => {
  const credits = program.command('credits').description("an account's credit");
  const pathOf = (account: string): string => `/accounts/${part(account)}/credits`;
  withAdminOptions(
    credits.command('show').description('what was paid in, spent and set aside').argument('<account>'),
  ).action(async (account: string, options: AdminOptions) =>
    printOne(terminal, options, await callAdmin(terminal, options, 'GET', pathOf(account))),
  );
  withAdminOptions(credits.command('add').description('pay in, in US dollars').argument('<account>').argument('<usd>'))
    .option('--id <id>', 'names this payment: the same one a second time changes nothing')
    .option('--memo <text>', 'kept with the entry')
    .action(async (account: string, usd: string, options: PaidIn) => {
      const { id, memo } = options;
      const body = { usd, ...(id !== undefined && { id }), ...(memo !== undefined && { memo }) };
      printOne(terminal, options, await callAdmin(terminal, options, 'POST', pathOf(account), body));
    });
};

export const addBudgets = (program: Command, terminal: Terminal): void => {
  const budgets = program.command('budgets').description('bounds on what may be spent');
  const pathOf = (account: string): string => `/accounts/${part(account)}/budgets`;
  withAdminOptions(
    budgets.command('list').description('list the budgets of an account, its keys and members').argument('<account>'),
  ).action(async (account: string, options: AdminOptions) =>
    printRows(terminal, options, await listAdmin(terminal, options, pathOf(account)), BUDGET_COLUMNS),
  );
  withAdminOptions(
    budgets.command('set').description('at most so many US dollars').argument('<account>').argument('<usd>'),
  )
    .option('--scope <scope>', 'account, key:<id> or member:<id>', 'account')
    .option('--per <span>', 'day, month or total', 'month')
    .action(async (account: string, usd: string, options: Bounded) => {
      const body = { scope: options.scope, span: options.per, usd };
      printOne(terminal, options, await callAdmin(terminal, options, 'POST', pathOf(account), body));
    });
  withAdminOptions(budgets.command('remove').description('lift a budget').argument('<account>'))
    .option('--scope <scope>', 'account, key:<id> or member:<id>', 'account')
    .option('--per <span>', 'day, month or total', 'month')
    .action(async (account: string, options: Bounded) => {
      const name = new URLSearchParams({ scope: options.scope, span: options.per });
      printOne(terminal, options, await callAdmin(terminal, options, 'DELETE', `${pathOf(account)}?${name}`));
    });
};
