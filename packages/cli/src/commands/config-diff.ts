// `trivium config diff`: settings that are in the file and in the database, and which of them applies; with `--running`, the
// settings of a running gateway against its file or another node.

import type { Command } from 'commander';
import { printRows, withAdminOptions } from '../admin-client.ts';
import { withConfigOption } from '../config-option.ts';
import type { Terminal } from '../terminal.ts';
import { printRunningDiff, type RunningDiffOptions } from './nodes.ts';

type DiffOptions = RunningDiffOptions & { readonly config?: string; readonly running?: true };

export const addConfigDiff = (parent: Command, terminal: Terminal): void => {
  withAdminOptions(
    withConfigOption(
      parent.command('diff').description('compare the configuration file with the database, or with a running gateway'),
    ),
  )
    .option('--running', 'compare a running gateway with its file')
    .option('--node <node>', 'compare this node (default: the one that answers)')
    .option('--against <node>', 'compare with this node instead of the file')
    .action(async (options: DiffOptions) => {
      if (options.running === true || options.node !== undefined || options.against !== undefined) {
        await printRunningDiff(terminal, options);
        return;
      }
      const { configDiff } = await import('@trivium/gateway');
      const { requireConfig } = await import('../read-config.ts');
      const rows = await configDiff(requireConfig(options.config, terminal));
      printRows(terminal, options, rows, ['what', 'name', 'file', 'database', 'used']);
    });
};
