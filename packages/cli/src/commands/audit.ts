// `trivium audit …`: who changed what, and whether the log was tampered with. `trivium operator …`: sign-in with the configuration file.

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

type AuditOptions = AdminOptions & {
  readonly account?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly search?: string;
  readonly from?: string;
  readonly until?: string;
};

export const addAudit = (program: Command, terminal: Terminal): void => {
  const audit = program.command('audit').description('audit log: what operators and members changed');
  withAdminOptions(audit.command('list').description('list changes, the newest first'))
    .option('--account <account>', 'only of this account')
    .option('--actor <actor>', 'only by operator, key:<id> or member:<id>')
    .option('--action <action>', 'only this action; may end in *')
    .option('--search <text>', 'part of the subject, the action or the detail')
    .option('--from <time>', 'at or after this time')
    .option('--until <time>', 'before this time')
    .action(async (options: AuditOptions) => {
      const { account, actor, action, search, from, until } = options;
      const query = new URLSearchParams(
        Object.entries({ actor, action, q: search, from, until }).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]],
        ),
      );
      const path = account === undefined ? '/audit' : `/accounts/${part(account)}/audit`;
      printRows(terminal, options, await listAdmin(terminal, options, `${path}?${query}`), COLUMNS);
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
