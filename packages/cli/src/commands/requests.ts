// `trivium requests …`: records of requests, of all accounts or of one.

import type { Command } from 'commander';
import {
  type AdminOptions,
  callAdmin,
  isRow,
  listAdmin,
  part,
  printRows,
  type Row,
  streamAdmin,
  withAdminOptions,
} from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';
import { attemptLines, LEGEND } from '../waterfall.ts';
import { addWire } from './capture.ts';

const FILTERS = {
  from: ['<time>', 'received at or after this time (default: 24 hours before the end)'],
  until: ['<time>', 'received before this time (default: now)'],
  key: ['<id>', 'only of this key'],
  member: ['<id>', 'only of this member'],
  model: ['<model>', 'only where this model served, or was called last; may end in *'],
  askedModel: ['<model>', 'only where the caller wrote this model; may end in *'],
  provider: ['<provider>', 'only where this provider answered, or was called last'],
  protocol: ['<protocol>', 'only chat, responses, messages or genai'],
  operation: ['<operation>', 'only text, embed, image or video'],
  outcome: ['<outcomes>', 'comma-separated: ok, failed, caller, upstream, gateway, or kinds of errors'],
  status: ['<status>', 'only with this HTTP status, such as 429 or 5xx'],
  minCostUsd: ['<usd>', 'only what cost at least this much'],
  minDurationMs: ['<ms>', 'only what took at least this long'],
} as const;

type FilterName = keyof typeof FILTERS;
type FilterOptions = AdminOptions & { readonly account?: string } & { readonly [Name in FilterName]?: string };
type ListOptions = FilterOptions & { readonly limit: string };

const flagOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const withFilters = (command: Command): Command => {
  command.option('--account <id>', 'only of this account; required for a key that manages one');
  for (const [name, [value, description]] of Object.entries(FILTERS))
    command.option(`--${flagOf(name)} ${value}`, description);
  return withAdminOptions(command);
};

const pathOf = ({ account }: { readonly account?: string }): string =>
  account === undefined ? '/requests' : `/accounts/${part(account)}/requests`;

const queryOf = (options: FilterOptions): string =>
  (Object.keys(FILTERS) as FilterName[])
    .flatMap((name) => {
      const value = options[name];
      return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
    })
    .join('&');

const COLUMNS = [
  'receivedAt',
  'id',
  'outcome',
  'status',
  'model',
  'provider',
  'costUsd',
  'firstTokenMs',
  'durationMs',
  'key',
];

const listed = (row: Row): Row => ({
  ...row,
  key: row['keyName'] ?? row['keyId'],
  model: row['model'] ?? row['askedModel'],
});

const textOf = (value: unknown): string => (value === null || value === undefined ? '-' : String(value));

/** The cause of a failure first, then who and what, then the attempts on one axis, then what it cost. */
export function requestLines(request: Row): readonly string[] {
  const { id, outcome, status, cause, receivedAt, durationMs, firstTokenMs, unrecorded } = request;
  const attempts = Array.isArray(request['attempts']) ? request['attempts'].filter(isRow) : [];
  const losses = Array.isArray(request['losses']) ? request['losses'].filter(isRow) : [];
  const asked = `asked ${textOf(request['askedModel'])}, served ${textOf(request['model'])} by ${textOf(request['provider'])}`;
  const wholeMs = typeof durationMs === 'number' ? durationMs : 0;
  return [
    `${textOf(id)}  ${textOf(outcome)} (${textOf(status)})`,
    ...(cause === null || cause === undefined ? [] : [`cause     ${textOf(cause)}`]),
    `received  ${textOf(receivedAt)}, ${textOf(durationMs)} ms, first token ${textOf(firstTokenMs)} ms`,
    `who       account ${textOf(request['accountId'])}, key ${textOf(request['keyName'] ?? request['keyId'])}, ${textOf(request['protocol'])}`,
    `model     ${asked}${request['lane'] === null ? '' : `, ${textOf(request['lane'])}`}`,
    `cost      ${textOf(request['costUsd'])} USD, ${textOf(request['inputTokens'])} tokens in, ${textOf(request['outputTokens'])} out`,
    ...(losses.length === 0
      ? []
      : [`losses    ${losses.map((loss) => `${textOf(loss['field'])} (${textOf(loss['why'])})`).join(', ')}`]),
    ...(typeof unrecorded === 'number' && unrecorded > 0
      ? [`also      ${unrecorded} refused before it, without a record`]
      : []),
    ...(attempts.length === 0 ? [] : ['', `attempts  ${LEGEND}`]),
    ...attempts.flatMap((attempt, index) => attemptLines(attempt, index + 1, wholeMs)),
  ];
}

/** One line for each request that ends. */
const tailLine = (row: Row): string => {
  const { receivedAt, id, outcome, status, costUsd, durationMs } = row;
  const { model, key } = listed(row);
  const cells = [
    receivedAt,
    id,
    `${textOf(outcome)} ${textOf(status)}`,
    model,
    row['provider'],
    `${textOf(durationMs)} ms`,
    costUsd,
    key,
  ];
  return cells.map(textOf).join('  ');
};

async function tail(terminal: Terminal, options: FilterOptions): Promise<void> {
  for await (const { event, data } of streamAdmin(terminal, options, `${pathOf(options)}/live?${queryOf(options)}`)) {
    if (event === 'gap') terminal.error('some requests were left out: more ended than could be shown');
    else if (event === 'row' && isRow(data)) terminal.print(options.json ? JSON.stringify(data) : tailLine(data));
  }
}

const MOST_LISTED = 10_000;

export const addRequests = (program: Command, terminal: Terminal): void => {
  const requests = program.command('requests').description('records of requests');
  withFilters(requests.command('list').description('list requests, newest first'))
    .option('--limit <rows>', 'most rows', '50')
    .action(async (options: ListOptions) => {
      const limit = Math.min(MOST_LISTED, Number(options.limit) || 0);
      const rows = await listAdmin(terminal, options, `${pathOf(options)}?${queryOf(options)}`, limit);
      printRows(terminal, options, options.json ? rows : rows.map(listed), COLUMNS);
    });
  withAdminOptions(
    requests
      .command('show')
      .description('show why a request failed or where it went: attempts, phases, cost')
      .argument('<id>', 'x-request-id, or the id of the answer')
      .option('--account <id>', 'its account; required for a key that manages one'),
  ).action(async (id: string, options: FilterOptions) => {
    const request = await callAdmin(terminal, options, 'GET', `${pathOf(options)}/${part(id)}`);
    if (options.json) terminal.print(JSON.stringify(request, null, 2));
    else for (const line of requestLines(request)) terminal.print(line);
  });
  withFilters(requests.command('tail').description('print requests as they end, on all nodes')).action(
    (options: FilterOptions) => tail(terminal, options),
  );
  addWire(requests, terminal);
};
