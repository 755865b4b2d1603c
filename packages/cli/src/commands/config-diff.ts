// `trivium config diff`: what the file and the database both say, and which of them is heard.

import { configDiff, describeConfigProblem, loadConfig } from '@trivium/gateway';
import type { Command } from 'commander';
import { printRows } from '../admin-client.ts';
import type { Terminal } from '../terminal.ts';

export const addConfigDiff = (parent: Command, terminal: Terminal): void => {
  parent
    .command('diff')
    .description('compare the configuration file with the database')
    .option('-c, --config <file>', 'the file; without it, the one TRIVIUM_CONFIG names')
    .option('--json', 'print JSON')
    .action(async (options: { readonly config?: string; readonly json?: true }) => {
      const file = options.config;
      const outcome = loadConfig({ env: terminal.env, ...(file === undefined ? {} : { file }) });
      if ('problems' in outcome) throw new Error(outcome.problems.map(describeConfigProblem).join('\n'));
      printRows(terminal, options, await configDiff(outcome.config), ['what', 'name', 'file', 'database', 'used']);
    });
};
