// `trivium credits …` and `trivium budgets …`: an account's balance, and its spending limits.

import type { Command } from 'commander';
import {
  type AdminOptions,
  callAdmin,
  listAdmin,
  part,
  printOne,
  printRows,
  readAdminLines,
  withAdminOptions,
} from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';

type PaidIn = AdminOptions & { readonly id?: string; readonly memo?: string };
type Bounded = AdminOptions & { readonly scope: string; readonly per: string };

const SCOPES = 'account, group, key:<id>, member:<id> or tag:<name>=<value>';
const BUDGET_COLUMNS = ['scope', 'span', 'usd', 'spentUsd', 'heldUsd', 'setBy'];

export const addCredits = (program: Command, terminal: Terminal): void => {
  const credits = program.command('credits').description('show and add credit of an account');
  const pathOf = (account: string): string => `/accounts/${part(account)}/credits`;
  withAdminOptions(
    credits.command('show').description('show what was paid in and spent, and what is held').argument('<account>'),
  ).action(async (account: string, options: AdminOptions) =>
    printOne(terminal, options, await callAdmin(terminal, options, 'GET', pathOf(account))),
  );
  withAdminOptions(
    credits.command('add').description('add credit in US dollars').argument('<account>').argument('<usd>'),
  )
    .option('--id <id>', 'id of this payment; a second one with the same id changes nothing')
    .option('--memo <text>', 'text to store with the entry')
    .action(async (account: string, usd: string, options: PaidIn) => {
      const { id, memo } = options;
      const body = { usd, ...(id !== undefined && { id }), ...(memo !== undefined && { memo }) };
      printOne(terminal, options, await callAdmin(terminal, options, 'POST', pathOf(account), body));
    });
};

const ENTRY_COLUMNS = ['at', 'kind', 'amountUsd', 'balanceUsd', 'id', 'memo'];
type Span = AdminOptions & { readonly from?: string; readonly until?: string };
type Listed = Span & { readonly limit: string; readonly csv?: true };

export const addLedgerEntries = (parent: Command, terminal: Terminal): void => {
  withAdminOptions(
    parent
      .command('entries')
      .description('list the entries of an account with the balance after each, newest first')
      .argument('<account>'),
  )
    .option('--from <time>', 'written at or after this time')
    .option('--until <time>', 'written before this time')
    .option('--limit <rows>', 'most rows', '50')
    .option('--csv', 'print a statement as CSV, oldest first')
    .action(async (account: string, options: Listed) => {
      const { from, until } = options;
      const span = new URLSearchParams({ ...(from !== undefined && { from }), ...(until !== undefined && { until }) });
      const path = `/accounts/${part(account)}/ledger`;
      if (options.csv) {
        for await (const line of readAdminLines(terminal, options, `${path}.csv?${span}`)) terminal.print(line);
        return;
      }
      const rows = await listAdmin(terminal, options, `${path}?${span}`, Number(options.limit) || 0);
      printRows(terminal, options, rows, ENTRY_COLUMNS);
    });
};

export const addBudgets = (program: Command, terminal: Terminal): void => {
  const budgets = program.command('budgets').description('spending limits of accounts, keys, members and tags');
  const pathOf = (account: string): string => `/accounts/${part(account)}/budgets`;
  withAdminOptions(
    budgets.command('list').description('list the budgets of an account, its keys and members').argument('<account>'),
  ).action(async (account: string, options: AdminOptions) =>
    printRows(terminal, options, await listAdmin(terminal, options, pathOf(account)), BUDGET_COLUMNS),
  );
  withAdminOptions(
    budgets.command('set').description('set a spending limit (USD)').argument('<account>').argument('<usd>'),
  )
    .option('--scope <scope>', SCOPES, 'account')
    .option('--per <span>', 'day, month or total', 'month')
    .action(async (account: string, usd: string, options: Bounded) => {
      const body = { scope: options.scope, span: options.per, usd };
      printOne(terminal, options, await callAdmin(terminal, options, 'POST', pathOf(account), body));
    });
  withAdminOptions(budgets.command('remove').description('remove a spending limit').argument('<account>'))
    .option('--scope <scope>', SCOPES, 'account')
    .option('--per <span>', 'day, month or total', 'month')
    .action(async (account: string, options: Bounded) => {
      const name = new URLSearchParams({ scope: options.scope, span: options.per });
      printOne(terminal, options, await callAdmin(terminal, options, 'DELETE', `${pathOf(account)}?${name}`));
    });
};
