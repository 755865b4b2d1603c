// `trivium operator …`: sign-in with the configuration file.

import type { Command } from 'commander';
import { withConfigOption } from '../config-option.ts';
import { printOne } from '../table.ts';
import type { Terminal } from '../terminal.ts';

export const addOperator = (program: Command, terminal: Terminal): void => {
  const operator = program
    .command('operator')
    .description('operator access to the admin API, by the configuration file');
  withConfigOption(
    operator
      .command('sign-in')
      .description('print a link that signs an operator in once, within 10 minutes; needs the database'),
  )
    .option('--json', 'print JSON')
    .action(async (options: { readonly config?: string; readonly json?: true }) => {
      const { newOperatorCode } = await import('@trivium/gateway');
      const { requireConfig } = await import('../read-config.ts');
      printOne(terminal, options, await newOperatorCode(await requireConfig(options.config, terminal)));
    });
  withConfigOption(
    operator.command('secret').description('replace the secret; needs the configuration, not the old secret'),
  )
    .option('--json', 'print JSON')
    .action(async (options: { readonly config?: string; readonly json?: true }) => {
      const { newOperatorSecret } = await import('@trivium/gateway');
      const { requireConfig } = await import('../read-config.ts');
      const secret = await newOperatorSecret(await requireConfig(options.config, terminal));
      terminal.print(options.json ? JSON.stringify({ secret }) : `secret, shown this once: ${secret}`);
    });
};
