// `trivium config check`: whether `serve` would take the file.

import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';

export const addConfigCheck = (parent: Command, terminal: Terminal): void => {
  parent
    .command('check')
    .description('check a configuration file without starting anything')
    .option('-c, --config <file>', 'configuration file (default: $TRIVIUM_CONFIG)')
    .action(async (options: { readonly config?: string }) => {
      const { checkConfig } = await import('../actions/config-check.ts');
      if (!(await checkConfig(options.config, terminal))) terminal.setExitCode(1);
    });
};
