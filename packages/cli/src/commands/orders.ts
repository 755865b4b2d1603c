// `trivium orders …`: payments that accounts owe through a payment provider, and their status.

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

type Created = AdminOptions & {
  readonly provider: string;
  readonly amount: string;
  readonly currency: string;
  readonly credit: string;
  readonly id?: string;
};

const COLUMNS = ['id', 'provider', 'amountMinor', 'currency', 'creditUsd', 'state', 'paidAt'];

export const addOrders = (program: Command, terminal: Terminal): void => {
  const orders = program.command('orders').description('orders to be paid through a payment provider');
  const pathOf = (account: string): string => `/accounts/${part(account)}/orders`;
  withAdminOptions(orders.command('list').description('list the orders of an account').argument('<account>')).action(
    async (account: string, options: AdminOptions) =>
      printRows(terminal, options, await listAdmin(terminal, options, pathOf(account)), COLUMNS),
  );
  withAdminOptions(
    orders.command('show').description('show one order').argument('<account>').argument('<order>'),
  ).action(async (account: string, order: string, options: AdminOptions) =>
    printOne(terminal, options, await callAdmin(terminal, options, 'GET', `${pathOf(account)}/${part(order)}`)),
  );
  withAdminOptions(
    orders.command('create').description('create an order; pass its id to the checkout').argument('<account>'),
  )
    .requiredOption('--provider <name>', 'a payment provider of the configuration')
    .requiredOption('--amount <number>', "what is to be paid, in the currency's smallest unit")
    .requiredOption('--credit <usd>', 'the credit it gives, in US dollars')
    .option('--currency <code>', 'ISO 4217 code', 'usd')
    .option('--id <id>', 'order id (default: generated)')
    .action(async (account: string, options: Created) => {
      const { provider, amount, currency, credit, id } = options;
      const body = { provider, amountMinor: Number(amount), currency: currency.toLowerCase(), creditUsd: credit };
      const whole = { ...body, ...(id !== undefined && { id }) };
      printOne(terminal, options, await callAdmin(terminal, options, 'POST', pathOf(account), whole));
    });
};
