// `trivium config diff`: what the file and the database both say, and which of them is heard.

import type { Command } from 'commander';
import { printRows } from '../admin-client.ts';
import { withConfigOption } from '../config-option.ts';
import type { Terminal } from '../terminal.ts';

export const addConfigDiff = (parent: Command, terminal: Terminal): void => {
  withConfigOption(parent.command('diff').description('compare the configuration file with the database'))
    .option('--json', 'print JSON')
    .action(async (options: { readonly config?: string; readonly json?: true }) => {
      const { configDiff } = await import('@trivium/gateway');
      const { requireConfig } = await import('../read-config.ts');
      const rows = await configDiff(requireConfig(options.config, terminal));
      printRows(terminal, options, rows, ['what', 'name', 'file', 'database', 'used']);
    });
};
