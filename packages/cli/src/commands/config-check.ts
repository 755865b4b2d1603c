// `trivium config check`: whether `serve` would take the file.

import type { Command } from 'commander';
import { withConfigOption } from '../config-option.ts';
import type { Terminal } from '../terminal.ts';

export const addConfigCheck = (parent: Command, terminal: Terminal): void => {
  withConfigOption(parent.command('check').description('check a configuration file without starting anything')).action(
    async (options: { readonly config?: string }) => {
      const { checkConfig } = await import('../actions/config-check.ts');
      if (!(await checkConfig(options.config, terminal))) terminal.setExitCode(1);
    },
  );
};
