// `trivium backup` and `trivium restore`: the database as one file, by the programs of PostgreSQL.

import type { Command } from 'commander';
import type { BackupOptions } from '../actions/backup.ts';
import type { RestoreOptions } from '../actions/restore.ts';
import { withConfigOption } from '../config-option.ts';
import type { Terminal } from '../terminal.ts';

export const addBackup = (parent: Command, terminal: Terminal): void => {
  withConfigOption(
    parent
      .command('backup')
      .description('write the whole database to a file; needs pg_dump and the configuration')
      .argument('<file>', 'file to write'),
  )
    .option('--force', 'replace the file if it exists')
    .action(async (file: string, options: BackupOptions) => {
      const { backup } = await import('../actions/backup.ts');
      await backup(file, options, terminal);
    });
};

export const addRestore = (parent: Command, terminal: Terminal): void => {
  withConfigOption(
    parent
      .command('restore')
      .description('fill the database of the configuration from a backup, and audit the ledger; stop the nodes first')
      .argument('<file>', 'file that trivium backup wrote'),
  )
    .option('--replace', 'delete everything in the database first')
    .action(async (file: string, options: RestoreOptions) => {
      const { restore } = await import('../actions/restore.ts');
      await restore(file, options, terminal);
    });
};
