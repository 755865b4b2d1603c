// `trivium migrate`: brings the database's schema up to this release, for operators who do not let `serve` do it.

import type { PlannedMigration } from '@trivium/gateway';
import type { Command } from 'commander';
import { withConfigOption } from '../config-option.ts';
import type { Terminal } from '../terminal.ts';

type Options = { readonly config?: string; readonly plan?: true; readonly json?: true };

/** As of `apply --dry-run`. */
const SOME_PENDING = 2;
const BYTES_PER_MB = 1e6;

const sizeText = (bytes: number, rows: number | null): string =>
  `${(bytes / BYTES_PER_MB).toFixed(1)} MB${rows === null ? '' : `, about ${rows} rows`}`;

const linesOf = ({ name, does, besideVersionBefore, touches }: PlannedMigration): readonly string[] => [
  `${name}: ${does}`,
  `  nodes of the version before ${besideVersionBefore ? 'can go on beside it' : 'must be stopped first'}`,
  ...touches.map(
    ({ table, waits, bytes, rows }) => `  ${table} (${sizeText(bytes, rows)}): ${waits} wait until all steps are done`,
  ),
];

export const addMigrate = (parent: Command, terminal: Terminal): void => {
  withConfigOption(parent.command('migrate').description('bring the schema of the database up to date'))
    .option('--plan', 'print what would be done, and do nothing; exit code 0: nothing, 2: some, 1: error')
    .option('--json', 'print JSON; with --plan')
    .action(async (options: Options) => {
      if (options.json && !options.plan) throw new Error('--json is for --plan');
      const { migrate, planMigration } = await import('@trivium/gateway');
      const { requireConfig } = await import('../read-config.ts');
      const { database } = await requireConfig(options.config, terminal);
      if (database === undefined) throw new Error('the configuration names no database');
      if (options.plan) {
        const pending = await planMigration(database);
        if (options.json) terminal.print(JSON.stringify({ pending }));
        else for (const line of pending.flatMap(linesOf)) terminal.print(line);
        if (!options.json)
          terminal.print(pending.length === 0 ? 'the schema is up to date' : `${pending.length} steps`);
        if (pending.length > 0) terminal.setExitCode(SOME_PENDING);
        return;
      }
      const { applied } = await migrate(database);
      for (const step of applied) terminal.print(`applied ${step}`);
      terminal.print(applied.length === 0 ? 'the schema is up to date' : `${applied.length} steps`);
    });
};
