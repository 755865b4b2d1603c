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
  const usage = program.command('usage').description('what accounts used');
  withAdminOptions(usage.command('sums').description('requests, tokens and cost').argument('<account>'))
    .option('--from <day>', 'the first day, UTC; 30 days before the last when absent')
    .option('--until <day>', 'the first day no more; tomorrow when absent')
    .option('--by <groups>', 'a list of day, hour, model, key, provider', 'day')
    .option('--model <model>', 'only this one')
    .option('--key <id>', 'only this one')
    .action(async (account: string, options: SumOptions) => {
      const path = `/accounts/${part(account)}/usage?${queryOf(options)}`;
      const { data } = await callAdmin(terminal, options, 'GET', path);
      const rows = Array.isArray(data) ? data.filter(isRow) : [];
      printRows(terminal, options, rows, [...(options.by ?? '').split(','), ...FIGURES]);
    });
  withAdminOptions(
    usage.command('show').description('one request, with the lines of its bill').argument('<account>').argument('<id>'),
  ).action(async (account: string, id: string, options: AdminOptions) =>
    printOne(
      terminal,
      options,
      await callAdmin(terminal, options, 'GET', `/accounts/${part(account)}/usage/${part(id)}`),
    ),
  );
};
