// `trivium models …`: the models a running gateway knows, and where each can be called.

import type { Command } from 'commander';
import {
  type AdminOptions,
  callAdmin,
  isRow,
  listAdmin,
  part,
  printRows,
  type Row,
  withAdminOptions,
} from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';

type ListOptions = AdminOptions & {
  readonly search?: string;
  readonly owner?: string;
  readonly provider?: string;
  readonly callable?: true;
  readonly account?: string;
};

const queryOf = ({ search, owner, provider, callable, account }: ListOptions): URLSearchParams =>
  new URLSearchParams(
    Object.entries({ q: search, owner, provider, callable: callable && 'true', account }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );

const rowsIn = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.filter(isRow) : []);

const listed = (model: Row): Row => ({
  ...model,
  providers: rowsIn(model['endpoints'])
    .map((endpoint) => endpoint['provider'])
    .join(', '),
});

const pricesOf = (endpoint: Row): string =>
  rowsIn(endpoint['prices'])
    .map(({ kind, usd, unit }) => `${kind} ${usd} ${unit}`)
    .join(', ');

const endpointRow = (endpoint: Row): Row => ({
  ...endpoint,
  circuit: isRow(endpoint['circuit']) ? endpoint['circuit']['state'] : null,
  prices: pricesOf(endpoint) || null,
});

const pathOf = (model: string): string => {
  const [owner = '', ...name] = model.split('/');
  return `/models/${part(owner)}/${part(name.join('/'))}`;
};

export const addModels = (program: Command, terminal: Terminal): void => {
  const models = program
    .command('models')
    .description('models, their endpoints and prices, and why one cannot be called');
  withAdminOptions(models.command('list').description('list models by id'))
    .option('--search <text>', 'part of the id, the name or an alias')
    .option('--owner <owner>', 'only of this owner')
    .option('--provider <provider>', 'only with an endpoint at this provider')
    .option('--callable', 'only those that can be called')
    .option('--account <id>', 'at the prices of this account')
    .action(async (options: ListOptions) => {
      const rows = await listAdmin(terminal, options, `/models?${queryOf(options)}`);
      printRows(terminal, options, options.json ? rows : rows.map(listed), ['id', 'callable', 'whyNot', 'providers']);
    });
  withAdminOptions(
    models.command('show').description('show the endpoints of a model').argument('<model>', '<owner>/<name>'),
  )
    .option('--account <id>', 'at the prices of this account')
    .action(async (model: string, options: ListOptions) => {
      const found = await callAdmin(terminal, options, 'GET', `${pathOf(model)}?${queryOf(options)}`);
      if (options.json) {
        terminal.print(JSON.stringify(found, null, 2));
        return;
      }
      const { id, callable, whyNot } = found;
      terminal.print(`${id}: ${callable === true ? 'callable' : `not callable (${whyNot})`}`);
      const columns = ['provider', 'format', 'upstreamModel', 'callable', 'whyNot', 'circuit', 'prices'];
      printRows(terminal, options, rowsIn(found['endpoints']).map(endpointRow), columns);
    });
};
