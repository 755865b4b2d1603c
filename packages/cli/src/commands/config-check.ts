// `trivium config check`: whether `serve` would accept the file.

import type { Command } from 'commander';
import type { CheckOptions } from '../actions/config-check.ts';
import { withConfigOption } from '../config-option.ts';
import type { Terminal } from '../terminal.ts';

export const addConfigCheck = (parent: Command, terminal: Terminal): void => {
  withConfigOption(parent.command('check').description('check a configuration file without starting anything'))
    .option('--offline', 'do not read the secrets that the file refers to')
    .action(async (options: CheckOptions) => {
      const { checkConfig } = await import('../actions/config-check.ts');
      if (!(await checkConfig(options, terminal))) terminal.setExitCode(1);
    });
};
