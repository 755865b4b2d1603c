// `trivium webhooks …`: where accounts are told of their finished operations.

import type { Command } from 'commander';
import {
  type AdminOptions,
  callAdmin,
  listAdmin,
  part,
  printRows,
  printWithSecret,
  withAdminOptions,
} from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';

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
      ]),
  );
  withAdminOptions(
    webhooks
      .command('add')
      .description('add a webhook; prints its signing secret once')
      .argument('<account>')
      .argument('<url>'),
  ).action(async (account: string, url: string, options: AdminOptions) =>
    printWithSecret(terminal, options, await callAdmin(terminal, options, 'POST', pathOf(account), { url }), 'webhook'),
  );
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
