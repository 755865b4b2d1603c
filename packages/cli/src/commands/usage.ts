// `trivium usage …`: what an account used, in sums and request by request.

import type { Command } from 'commander';
import { type AdminOptions, callAdmin, isRow, part, printOne, printRows, withAdminOptions } from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';

const QUESTIONS = ['from', 'until', 'by', 'model', 'key'] as const;
type SumOptions = AdminOptions & { readonly [Name in (typeof QUESTIONS)[number]]?: string };

const queryOf = (options: SumOptions): string =>
  QUESTIONS.flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
  }).join('&');

const FIGURES = ['requests', 'failed', 'input_tokens', 'output_tokens', 'cost_usd'];

export const addUsage = (program: Command, terminal: Terminal): void => {
  const usage = program.command('usage').description('usage and cost of an account');
  withAdminOptions(usage.command('sums').description('sum up requests, tokens and cost').argument('<account>'))
    .option('--from <day>', 'start date, UTC (default: 30 days before the end)')
    .option('--until <day>', 'end date, exclusive, UTC (default: tomorrow)')
    .option('--by <groups>', 'comma-separated: day, hour, model, key, provider', 'day')
    .option('--model <model>', 'only this model')
    .option('--key <id>', 'only this key')
    .action(async (account: string, options: SumOptions) => {
      const path = `/accounts/${part(account)}/usage?${queryOf(options)}`;
      const { data } = await callAdmin(terminal, options, 'GET', path);
      const rows = Array.isArray(data) ? data.filter(isRow) : [];
      printRows(terminal, options, rows, [...(options.by ?? '').split(','), ...FIGURES]);
    });
  withAdminOptions(
    usage
      .command('show')
      .description('show one request with the lines of its bill')
      .argument('<account>')
      .argument('<id>'),
  ).action(async (account: string, id: string, options: AdminOptions) =>
    printOne(
      terminal,
      options,
      await callAdmin(terminal, options, 'GET', `/accounts/${part(account)}/usage/${part(id)}`),
    ),
  );
};
