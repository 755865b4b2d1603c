// `trivium audit …`: who changed what, and whether the log was touched. `trivium operator …`: sign-in for those who have the configuration file.

import type { Command } from 'commander';
import {
  type AdminOptions,
  callAdmin,
  listAdmin,
  part,
  printOne,
  printRows,
  withAdminOptions,
} from '../admin-client.ts';
import { withConfigOption } from '../config-option.ts';
import type { Terminal } from '../terminal.ts';

const COLUMNS = ['id', 'at', 'accountId', 'actor', 'action', 'subject', 'detail'];

export const addAudit = (program: Command, terminal: Terminal): void => {
  const audit = program.command('audit').description('audit log: what operators and members changed');
  withAdminOptions(audit.command('list').description('list changes, the newest first'))
    .option('--account <account>', 'only of this account')
    .action(async (options: AdminOptions & { readonly account?: string }) => {
      const path = options.account === undefined ? '/audit' : `/accounts/${part(options.account)}/audit`;
      printRows(terminal, options, await listAdmin(terminal, options, path), COLUMNS);
    });
  withAdminOptions(audit.command('verify').description('check that no entry was altered')).action(
    async (options: AdminOptions) => {
      const verdict = await callAdmin(terminal, options, 'GET', '/audit/verify');
      printOne(terminal, options, verdict);
      if (verdict['intact'] !== true) terminal.setExitCode(1);
    },
  );
};

export const addOperator = (program: Command, terminal: Terminal): void => {
  const operator = program.command('operator').description('access to the admin API, with the configuration at hand');
  withConfigOption(
    operator
      .command('sign-in')
      .description('print a link that signs an operator in once, within 10 minutes; needs the database'),
  )
    .option('--json', 'print JSON')
    .action(async (options: { readonly config?: string; readonly json?: true }) => {
      const { newOperatorCode } = await import('@trivium/gateway');
      const { requireConfig } = await import('../read-config.ts');
      printOne(terminal, options, await newOperatorCode(requireConfig(options.config, terminal)));
    });
  withConfigOption(
    operator.command('secret').description('replace the secret; needs the configuration, not the old secret'),
  )
    .option('--json', 'print JSON')
    .action(async (options: { readonly config?: string; readonly json?: true }) => {
      const { newOperatorSecret } = await import('@trivium/gateway');
      const { requireConfig } = await import('../read-config.ts');
      const secret = await newOperatorSecret(requireConfig(options.config, terminal));
      terminal.print(options.json ? JSON.stringify({ secret }) : `secret, shown this once: ${secret}`);
    });
};
