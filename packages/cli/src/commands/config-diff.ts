// `trivium config diff`: settings that are in the file and in the database, and which of them applies; with `--running`, the
// settings of a running gateway against its file or another node.

import type { Command } from 'commander';
import { type AdminOptions, callAdmin, withAdminOptions } from '../admin-client.ts';
import { withConfigOption } from '../config-option.ts';
import { printRows, rowsIn } from '../table.ts';
import type { Terminal } from '../terminal.ts';

type DiffOptions = AdminOptions & {
  readonly config?: string;
  readonly running?: true;
  readonly node?: string;
  readonly against?: string;
};

/** Exit code 1 if the file could not be loaded. */
const printRunningDiff = async (terminal: Terminal, options: DiffOptions): Promise<void> => {
  const { node, against } = options;
  const query = new URLSearchParams({ ...(node !== undefined && { node }), ...(against !== undefined && { against }) });
  const diff = await callAdmin(terminal, options, 'GET', query.size === 0 ? '/config/diff' : `/config/diff?${query}`);
  for (const { place, path, message } of rowsIn(diff['problems'])) {
    terminal.error([place, path, message].filter((part) => part !== '').join(': '));
    terminal.setExitCode(1);
  }
  printRows(terminal, options, rowsIn(diff['items']), ['path', 'change', 'from', 'to', 'needsRestart']);
};

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
      const rows = await configDiff(await requireConfig(options.config, terminal));
      printRows(terminal, options, rows, ['what', 'name', 'file', 'database', 'used']);
    });
};
