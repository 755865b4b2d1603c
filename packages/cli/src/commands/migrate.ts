// `trivium migrate`: brings the database's schema up to this release, for operators who do not let `serve` do it.

import type { Command } from 'commander';
import { withConfigOption } from '../config-option.ts';
import type { Terminal } from '../terminal.ts';

export const addMigrate = (parent: Command, terminal: Terminal): void => {
  withConfigOption(parent.command('migrate').description('bring the schema of the database up to date')).action(
    async (options: { readonly config?: string }) => {
      const { migrate } = await import('@trivium/gateway');
      const { requireConfig } = await import('../read-config.ts');
      const { database } = await requireConfig(options.config, terminal);
      if (database === undefined) throw new Error('the configuration names no database');
      const { applied } = await migrate(database);
      for (const step of applied) terminal.print(`applied ${step}`);
      terminal.print(applied.length === 0 ? 'the schema is up to date' : `${applied.length} steps`);
    },
  );
};
