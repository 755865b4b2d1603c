// `trivium usage …`: an account's usage, summed and per request.

import type { Command } from 'commander';
import {
  type AdminOptions,
  callAdmin,
  exportAdmin,
  isRow,
  part,
  printOne,
  printRows,
  withAdminOptions,
} from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';

const QUESTIONS = ['from', 'until', 'by', 'model', 'key'] as const;
type SumOptions = AdminOptions & { readonly [Name in (typeof QUESTIONS)[number]]?: string };

const queryOf = (options: SumOptions): string =>
  QUESTIONS.flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
  }).join('&');

const REPORT = [
  'from',
  'until',
  'by',
  'bucket',
  'tz',
  'account',
  'member',
  'key',
  'model',
  'provider',
  'protocol',
  'outcome',
  'lane',
  'tag',
] as const;
type ReportOptions = AdminOptions & { readonly [Name in (typeof REPORT)[number]]?: string } & {
  readonly csv?: true;
  readonly focus?: true;
};
const REPORT_FIGURES = ['requests', 'failed', 'tokens', 'costUsd'];

const reportQuery = (options: ReportOptions): string =>
  new URLSearchParams(
    REPORT.flatMap((name): [string, string][] => {
      const value = options[name];
      return value === undefined ? [] : [[name, value]];
    }),
  ).toString();

/** Columns of a row: what it is grouped by, then its figures. */
const reportColumns = ({ by = '', bucket }: ReportOptions): string[] => [
  ...(bucket === undefined ? [] : ['at']),
  ...by
    .split(',')
    .filter((word) => word !== '')
    .map((word) => (word.startsWith('tag:') ? 'tag' : word)),
  ...REPORT_FIGURES,
];

const FIGURES = ['requests', 'failed', 'input_tokens', 'output_tokens', 'cost_usd'];

export const addUsage = (program: Command, terminal: Terminal): void => {
  const usage = program.command('usage').description('usage and cost');
  withAdminOptions(usage.command('report').description('sum up spend over accounts, members, keys, models or tags'))
    .option(
      '--by <groups>',
      'comma-separated: account, member, key, model, provider, protocol, outcome, lane, tag:<name>',
      'account',
    )
    .option('--bucket <span>', 'hour, day or month')
    .option('--tz <zone>', 'time zone of days and months, e.g. Europe/Berlin (default: UTC)')
    .option('--from <day>', 'start: a day or a time (default: 30 days before the end)')
    .option('--until <day>', 'end, exclusive (default: tomorrow)')
    .option('--account <id>', 'only this account')
    .option('--member <id>', 'only this member')
    .option('--key <id>', 'only this key')
    .option('--model <model>', 'only this model')
    .option('--provider <id>', 'only this provider')
    .option('--protocol <name>', 'only chat, responses, messages or genai')
    .option('--outcome <name>', 'only ok, interrupted or a kind of fault')
    .option('--lane <name>', 'only verbatim or translated')
    .option('--tag <tag>', 'only this value of a tag, e.g. team=search')
    .option('--csv', 'print CSV')
    .option('--focus', 'print CSV in the columns of FOCUS')
    .action(async (options: ReportOptions) => {
      if (options.csv || options.focus) {
        const path = `/usage${options.focus ? '.focus' : ''}.csv?${reportQuery(options)}`;
        terminal.print((await exportAdmin(terminal, options, path)).trimEnd());
        return;
      }
      const { items } = await callAdmin(terminal, options, 'GET', `/usage?${reportQuery(options)}`);
      printRows(terminal, options, Array.isArray(items) ? items.filter(isRow) : [], reportColumns(options));
    });
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
