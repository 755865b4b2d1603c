// `trivium tags …`: the tags by which an account's usage is summed.

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

export const addTags = (program: Command, terminal: Terminal): void => {
  const tags = program.command('tags').description('tags that usage is summed up by');
  const pathOf = (account: string): string => `/accounts/${part(account)}/tags`;
  withAdminOptions(tags.command('list').description('list the declared tags').argument('<account>')).action(
    async (account: string, options: AdminOptions) =>
      printRows(terminal, options, await listAdmin(terminal, options, pathOf(account)), [
        'key',
        'required',
        'createdAt',
      ]),
  );
  withAdminOptions(
    tags
      .command('declare')
      .description('declare a tag, up to 8 per account')
      .argument('<account>')
      .argument('<tag>', 'e.g. team'),
  )
    .option('--required', 'refuse requests without it')
    .action(async (account: string, key: string, options: AdminOptions & { readonly required?: true }) => {
      const body = { key, required: options.required === true };
      printOne(terminal, options, await callAdmin(terminal, options, 'POST', pathOf(account), body));
    });
  withAdminOptions(
    tags.command('withdraw').description('stop summing up by a tag').argument('<account>').argument('<tag>'),
  ).action(async (account: string, key: string, options: AdminOptions) =>
    printOne(terminal, options, await callAdmin(terminal, options, 'DELETE', `${pathOf(account)}?key=${part(key)}`)),
  );
};
