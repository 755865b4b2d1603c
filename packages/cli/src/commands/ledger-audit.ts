// `trivium ledger audit`: checks every account's entries against the invariants now, instead of at the next hourly run.

import type { Command } from 'commander';
import { withConfigOption } from '../config-option.ts';
import type { Terminal } from '../terminal.ts';

export const addLedgerAudit = (parent: Command, terminal: Terminal): void => {
  withConfigOption(parent.command('audit').description('check the ledger of all accounts; needs the configuration'))
    .option('--json', 'print JSON')
    .action(async (options: { readonly config?: string; readonly json?: true }) => {
      const { auditLedger } = await import('@trivium/gateway');
      const { requireConfig } = await import('../read-config.ts');
      const violations = await auditLedger(await requireConfig(options.config, terminal));
      if (options.json) terminal.print(JSON.stringify({ violations }, null, 2));
      else {
        for (const { invariant, account, says } of violations) terminal.print(`${invariant}  ${account}  ${says}`);
        terminal.print(
          violations.length === 0
            ? 'Ledger audit passed: 0 violations.'
            : `Ledger audit failed: ${violations.length} violations.`,
        );
      }
      if (violations.length > 0) terminal.setExitCode(1);
    });
};
