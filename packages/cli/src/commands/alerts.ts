// `trivium alerts …`: what was raised, by which rules, and where it is sent.

import type { Command } from 'commander';
import {
  type AdminOptions,
  callAdmin,
  listAdmin,
  part,
  printOne,
  printRows,
  printWithSecret,
  type Row,
  withAdminOptions,
} from '../admin-client.ts';
import { printDeliveries, printFirstTry } from '../deliveries.ts';
import type { Terminal } from '../terminal.ts';

type ListOptions = AdminOptions & { readonly account?: string; readonly open?: true; readonly kind?: string };
type DestinationOptions = AdminOptions & { readonly name?: string; readonly events?: string };

const DESTINATIONS = '/alerts/destinations';
const pathOf = (id: string): string => `${DESTINATIONS}/${part(id)}`;

/** `all` means every kind. */
const eventsOf = (list: string): readonly string[] | null => (list === 'all' ? null : list.split(','));

export const addAlerts = (program: Command, terminal: Terminal): void => {
  const alerts = program.command('alerts').description('alerts, their rules and their destinations');
  withAdminOptions(alerts.command('list').description('list alerts, the newest first'))
    .option('--open', 'only those that are neither resolved nor acknowledged')
    .option('--kind <kind>', 'only of this kind, e.g. budget.reached')
    .option('--account <account>', 'only of this account')
    .action(async (options: ListOptions) => {
      const path = options.account === undefined ? '/alerts' : `/accounts/${part(options.account)}/alerts`;
      const query = new URLSearchParams({
        ...(options.open && { state: 'open' }),
        ...(options.kind !== undefined && { kind: options.kind }),
      });
      const rows = await listAdmin(terminal, options, query.size === 0 ? path : `${path}?${query}`);
      printRows(terminal, options, rows, ['id', 'raisedAt', 'kind', 'title', 'resolvedAt', 'acknowledgedAt']);
    });
  withAdminOptions(alerts.command('rules').description('list what alerts are raised for')).action(
    async (options: AdminOptions) =>
      printRows(terminal, options, await listAdmin(terminal, options, '/alerts/rules'), [
        'kind',
        'enabled',
        'raisedWhen',
        'window',
      ]),
  );
  withAdminOptions(alerts.command('acknowledge').description('mark an alert as seen').argument('<alert>')).action(
    async (id: string, options: AdminOptions) =>
      printOne(terminal, options, await callAdmin(terminal, options, 'POST', `/alerts/${part(id)}/acknowledge`)),
  );
  addDestinations(alerts.command('destinations').description('where alerts are sent'), terminal);
};

const addressOf = (kind: string, addresses: readonly string[]): Row =>
  kind === 'mail' ? { to: addresses } : { url: addresses[0] ?? '' };

function addDestinations(destinations: Command, terminal: Terminal): void {
  withAdminOptions(destinations.command('list').description('list destinations')).action(
    async (options: AdminOptions) =>
      printRows(terminal, options, await listAdmin(terminal, options, DESTINATIONS), [
        'id',
        'kind',
        'name',
        'target',
        'events',
        'goneAt',
      ]),
  );
  withAdminOptions(
    destinations
      .command('add')
      .description('add a destination: a URL, or mail addresses')
      .argument('<kind>', 'webhook, slack, teams, discord or mail')
      .argument('<address...>'),
  )
    .option('--name <name>', 'name for people (default: the kind)')
    .option('--events <kinds>', 'kinds of alerts, separated by commas (default: all)')
    .action(async (kind: string, addresses: readonly string[], options: DestinationOptions) => {
      const events = options.events === undefined ? {} : { events: eventsOf(options.events) };
      const body = { kind, name: options.name ?? kind, ...addressOf(kind, addresses), ...events };
      const added = await callAdmin(terminal, options, 'POST', DESTINATIONS, body);
      if (added['secret'] === null && !options.json) printOne(terminal, options, added['destination'] as Row);
      else printWithSecret(terminal, options, added, 'destination');
    });
  const one = (name: string, description: string): Command =>
    withAdminOptions(destinations.command(name).description(description).argument('<destination>'));
  one('change', 'change its name or its kinds of alerts')
    .option('--name <name>', 'name for people')
    .option('--events <kinds>', 'kinds of alerts, separated by commas, or all')
    .action(async (id: string, options: DestinationOptions) => {
      const body = {
        ...(options.name !== undefined && { name: options.name }),
        ...(options.events !== undefined && { events: eventsOf(options.events) }),
      };
      printOne(terminal, options, await callAdmin(terminal, options, 'PATCH', pathOf(id), body));
    });
  one('test', 'send a test message and wait for its first try').action(async (id: string, options: AdminOptions) => {
    const sent = await callAdmin(terminal, options, 'POST', `${pathOf(id)}/test`);
    await printFirstTry(terminal, options, sent, `${pathOf(id)}/deliveries`);
  });
  one('deliveries', 'list messages of the last seven days').action((id: string, options: AdminOptions) =>
    printDeliveries(terminal, options, `${pathOf(id)}/deliveries`),
  );
  withAdminOptions(destinations.command('resend').description('send a message again').argument('<delivery>')).action(
    async (id: string, options: AdminOptions) =>
      printOne(terminal, options, await callAdmin(terminal, options, 'POST', `/alerts/deliveries/${part(id)}/resend`)),
  );
  one('remove', 'remove a destination').action(async (id: string, options: AdminOptions) => {
    await callAdmin(terminal, options, 'DELETE', pathOf(id));
    terminal.print(options.json ? '{}' : 'removed');
  });
}
