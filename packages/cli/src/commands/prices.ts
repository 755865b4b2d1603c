// `trivium prices …`: prices that replace the catalogue's from a date on, and per-account discounts and markups.

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import {
  type AdminOptions,
  callAdmin,
  listAdmin,
  part,
  printOne,
  printRows,
  type Row,
  withAdminOptions,
} from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';

type Dated = AdminOptions & { readonly from?: string };
type SetOptions = Dated & {
  readonly until?: string;
  readonly dialect?: string;
  readonly price?: readonly string[];
  readonly file?: string;
};

const PER_MILLION = 'perMTokens';
const KIND_AND_VALUE = /^([a-z0-9_]+)=([0-9.]+)(?:\/([A-Za-z]+))?$/;

const pricingsOf = ({ price = [], file }: SetOptions): Row => {
  if ((price.length === 0) === (file === undefined)) throw new Error('give either --price or --file');
  if (file !== undefined) return JSON.parse(readFileSync(file, 'utf8'));
  return Object.fromEntries(
    price.map((text) => {
      const [, kind = '', value, unit = PER_MILLION] = KIND_AND_VALUE.exec(text) ?? [];
      if (value === undefined) throw new Error(`${text}: must be such as prompt=2.5 or image=0.04/perCount`);
      return [kind, [{ value, unit, currency: 'USD' }]];
    }),
  );
};

export const addPrices = (program: Command, terminal: Terminal): void => {
  const prices = program.command('prices').description('prices, discounts and markups set in the database');
  withAdminOptions(prices.command('list').description('list prices that were set, withdrawn ones included')).action(
    async (options: AdminOptions) =>
      printRows(terminal, options, await listAdmin(terminal, options, '/prices'), [
        'id',
        'model',
        'provider',
        'from',
        'until',
        'pricings',
        'withdrawnAt',
      ]),
  );
  withAdminOptions(
    prices.command('set').description('set prices of a model at a provider').argument('<model>').argument('<provider>'),
  )
    .option(
      '--price <kind=usd...>',
      'e.g. prompt=2.5 image=0.04/perCount; per million tokens unless /perCount or /perSecond follows',
    )
    .option('--file <path>', 'JSON file with prices in the form of the catalogue')
    .option('--dialect <name>', 'only for this wire format of the provider')
    .option('--from <day>', 'start date, UTC (default: now)')
    .option('--until <day>', 'end date, exclusive, UTC')
    .action(async (model: string, provider: string, options: SetOptions) => {
      const { from, until, dialect } = options;
      const body = {
        model,
        provider,
        pricings: pricingsOf(options),
        ...(dialect !== undefined && { dialect }),
        ...(from !== undefined && { from }),
        ...(until !== undefined && { until }),
      };
      printOne(terminal, options, await callAdmin(terminal, options, 'POST', '/prices', body));
    });
  withAdminOptions(prices.command('withdraw').description('withdraw prices that were set').argument('<id>')).action(
    async (id: string, options: AdminOptions) =>
      printOne(terminal, options, await callAdmin(terminal, options, 'DELETE', `/prices/${part(id)}`)),
  );
  withAdminOptions(
    prices.command('version').description('show the prices of a price version named on a bill').argument('<version>'),
  ).action(async (version: string, options: AdminOptions) =>
    printOne(terminal, options, await callAdmin(terminal, options, 'GET', `/price-versions/${part(version)}`)),
  );
  withAdminOptions(
    prices
      .command('terms')
      .description('list discounts and markups of an account; with a percentage, set one')
      .argument('<account>')
      .argument('[percent]', '+15 is a markup, -20 a discount, none removes it'),
  )
    .option('--from <day>', 'start date, UTC (default: now)')
    // So that a negative number is not parsed as an option.
    .allowUnknownOption()
    .action(async (account: string, percent: string | undefined, options: Dated) => {
      const path = `/accounts/${part(account)}/terms`;
      if (percent === undefined) {
        const columns = ['from', 'changePercent', 'createdAt'];
        printRows(terminal, options, await listAdmin(terminal, options, path), columns);
        return;
      }
      const changePercent = percent === 'none' ? null : Number(percent);
      if (Number.isNaN(changePercent)) throw new Error(`${percent}: must be a percentage or none`);
      const body = { changePercent, ...(options.from !== undefined && { from: options.from }) };
      printOne(terminal, options, await callAdmin(terminal, options, 'POST', path, body));
    });
};
