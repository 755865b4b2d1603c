// `trivium apply`: accounts, members, keys and budgets as files declare them.

import type { Command } from 'commander';
import { withAdminOptions } from '../admin-client.ts';
import type { ApplyOptions } from '../apply/planning.ts';
import type { Terminal } from '../terminal.ts';

export const addApply = (program: Command, terminal: Terminal): void => {
  withAdminOptions(
    program.command('apply').description('make accounts, members, keys and budgets match files that declare them'),
  )
    .requiredOption('-f, --file <path>', 'file, or folder of .yaml, .yml and .json files')
    .option('--dry-run', 'print the changes and make none; exit code 0: none needed, 2: some, 1: error')
    .option('--prune', 'remove members, keys and budgets that the lists of the files do not have')
    .option(
      '--secrets <file>',
      'append secrets of new keys to this file as JSON lines, mode 0600 (default: print them)',
    )
    .action(async (options: ApplyOptions) => {
      const { applyFiles } = await import('../actions/apply.ts');
      await applyFiles(options, terminal);
    });
};
