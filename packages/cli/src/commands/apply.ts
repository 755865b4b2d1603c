// `trivium apply` and `trivium export`: an installation as files declare it, and files as an installation is.

import type { Command } from 'commander';
import { type AdminOptions, callAdmin, withAdminOptions } from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';

export const addApply = (program: Command, terminal: Terminal): void => {
  withAdminOptions(
    program
      .command('apply')
      .description('make accounts, keys, budgets, prices, models, webhooks and alerts match files that declare them'),
  )
    .requiredOption('-f, --file <path>', 'file, or folder of .yaml, .yml and .json files')
    .option('--dry-run', 'print the changes and make none; exit code 0: none needed, 2: some, 1: error')
    .option('--prune', 'remove what an apply made and the lists of the files do not have any more')
    .option('--secrets <file>', 'append secrets of new keys and webhooks to this file as JSON lines, mode 0600')
    .action(async (options: AdminOptions & { readonly file: string }) => {
      const { applyFiles } = await import('../actions/apply.ts');
      await applyFiles(options, terminal);
    });
  withAdminOptions(program.command('export').description('print the installation as a file that apply reads')).action(
    async (options: AdminOptions) => {
      const declared = await callAdmin(terminal, options, 'GET', '/declared');
      if (options.json) {
        terminal.print(JSON.stringify(declared));
        return;
      }
      const { declaredText } = await import('@trivium/gateway/accounts-file');
      terminal.print(declaredText(declared).trimEnd());
    },
  );
};
