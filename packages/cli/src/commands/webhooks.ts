// `trivium webhooks …`: webhook endpoints of an account, and their deliveries.

import type { Command } from 'commander';
import {
  type AdminOptions,
  callAdmin,
  listAdmin,
  part,
  printOne,
  printRows,
  printWithSecret,
  withAdminOptions,
} from '../admin-client.ts';
import { printDeliveries, printFirstTry } from '../deliveries.ts';
import type { Terminal } from '../terminal.ts';

type EventOptions = AdminOptions & { readonly events?: string };
type RotateOptions = AdminOptions & { readonly grace: string };

const pathOf = (account: string): string => `/accounts/${part(account)}/webhooks`;

export const addWebhooks = (program: Command, terminal: Terminal): void => {
  const webhooks = program.command('webhooks').description('webhooks of an account');
  withAdminOptions(webhooks.command('list').description("list an account's webhooks").argument('<account>')).action(
    async (account: string, options: AdminOptions) =>
      printRows(terminal, options, await listAdmin(terminal, options, pathOf(account)), [
        'id',
        'url',
        'createdAt',
        'previousUntil',
        'goneAt',
        'events',
      ]),
  );
  withAdminOptions(
    webhooks
      .command('add')
      .description('add a webhook; prints its signing secret once')
      .argument('<account>')
      .argument('<url>'),
  )
    .option('--events <events>', 'events, separated by commas (default: the ends of operations)')
    .action(async (account: string, url: string, options: EventOptions) => {
      const body = { url, ...(options.events !== undefined && { events: options.events.split(',') }) };
      printWithSecret(terminal, options, await callAdmin(terminal, options, 'POST', pathOf(account), body), 'webhook');
    });
  withAdminOptions(
    webhooks
      .command('events')
      .description('choose the events of a webhook, separated by commas, or default')
      .argument('<account>')
      .argument('<webhook>')
      .argument('<events>'),
  ).action(async (account: string, id: string, list: string, options: AdminOptions) => {
    const body = { events: list === 'default' ? null : list.split(',') };
    printOne(terminal, options, await callAdmin(terminal, options, 'PATCH', `${pathOf(account)}/${part(id)}`, body));
  });
  withAdminOptions(
    webhooks
      .command('test')
      .description('send a test message and wait for its first try')
      .argument('<account>')
      .argument('<webhook>'),
  ).action(async (account: string, id: string, options: AdminOptions) => {
    const path = `${pathOf(account)}/${part(id)}`;
    const sent = await callAdmin(terminal, options, 'POST', `${path}/test`);
    await printFirstTry(terminal, options, sent, `${path}/deliveries`);
  });
  withAdminOptions(
    webhooks
      .command('deliveries')
      .description('list messages of the last seven days')
      .argument('<account>')
      .argument('<webhook>'),
  ).action((account: string, id: string, options: AdminOptions) =>
    printDeliveries(terminal, options, `${pathOf(account)}/${part(id)}/deliveries`),
  );
  withAdminOptions(
    webhooks.command('resend').description('send a message again').argument('<account>').argument('<delivery>'),
  ).action(async (account: string, id: string, options: AdminOptions) => {
    const path = `/accounts/${part(account)}/deliveries/${part(id)}/resend`;
    printOne(terminal, options, await callAdmin(terminal, options, 'POST', path));
  });
  withAdminOptions(
    webhooks.command('rotate').description('replace the signing secret').argument('<account>').argument('<webhook>'),
  )
    .option('--grace <seconds>', 'seconds for which the old secret signs, too', '0')
    .action(async (account: string, id: string, options: RotateOptions) => {
      const body = { graceSeconds: Number(options.grace) };
      const path = `${pathOf(account)}/${part(id)}/rotate`;
      printWithSecret(terminal, options, await callAdmin(terminal, options, 'POST', path, body), 'webhook');
    });
  withAdminOptions(
    webhooks.command('remove').description('remove a webhook').argument('<account>').argument('<webhook>'),
  ).action(async (account: string, id: string, options: AdminOptions) => {
    await callAdmin(terminal, options, 'DELETE', `${pathOf(account)}/${part(id)}`);
    terminal.print(options.json ? '{}' : 'removed');
  });
};
