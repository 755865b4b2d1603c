// What `trivium restore` does: fills the database of the configuration from a backup, all or nothing, and audits the ledger.

import { existsSync } from 'node:fs';
import {
  AFTER_RESTORE,
  auditLedger,
  BEFORE_RESTORE,
  EMPTY_DATABASE,
  migrate,
  type RestoreTarget,
  restoreTarget,
} from '@trivium/gateway';
import { connectionOf, start } from '../backup/postgres-programs.ts';
import { requireConfig } from '../read-config.ts';
import type { Terminal } from '../terminal.ts';

export type RestoreOptions = { readonly config?: string; readonly replace?: true };

function requireFreeTarget({ database, tables, nodes }: RestoreTarget, isReplaced: boolean): void {
  if (nodes.length > 0)
    throw new Error(
      `nodes use the database ${database}: ${nodes.join(', ')}. Stop the nodes first; one that was killed counts for a minute`,
    );
  if (tables > 0 && !isReplaced)
    throw new Error(
      `the database ${database} is not empty (${tables} tables): restore into a new one, or pass --replace to delete everything in it`,
    );
}

/** One transaction: if anything fails, the database is as before. */
async function fill(file: string, url: string, isReplaced: boolean, terminal: Terminal): Promise<void> {
  const { address, env } = connectionOf(url, terminal.env);
  const psqlArgs = ['--no-psqlrc', '--quiet', '--no-password', '--single-transaction', '--set=ON_ERROR_STOP=1'];
  const psql = start('psql', [...psqlArgs, `--dbname=${address}`], env, ['pipe', 'ignore']);
  const script = start('pg_restore', ['--no-owner', '--file=-', file], env, ['ignore', 'pipe']);
  // A psql that has failed closes its input; its own error says why.
  psql.child.stdin?.on('error', () => undefined);
  psql.child.stdin?.write(`${isReplaced ? EMPTY_DATABASE : ''}${BEFORE_RESTORE}`);
  if (psql.child.stdin) script.child.stdout?.pipe(psql.child.stdin, { end: false });
  const scripted = script.ended.then(
    () => void psql.child.stdin?.end(AFTER_RESTORE),
    (error: unknown) => {
      // The end of its input would commit what it has got so far.
      psql.child.kill();
      throw error;
    },
  );
  const filled = psql.ended.finally(() => {
    script.child.kill();
    // Unread, it would never close.
    script.child.stdout?.destroy();
  });
  const [ofScript, ofPsql] = await Promise.allSettled([scripted, filled]);
  const failed = [ofPsql, ofScript].filter((one) => one.status === 'rejected').map(({ reason }) => reason as Error);
  // The one that ended the other says nothing of a signal.
  const cause = failed.find(({ message }) => !message.includes('(SIG')) ?? failed[0];
  if (cause !== undefined) throw cause;
}

export async function restore(file: string, options: RestoreOptions, terminal: Terminal): Promise<void> {
  const config = await requireConfig(options.config, terminal);
  const { database } = config;
  if (database === undefined) throw new Error('the configuration names no database to restore into');
  if (!existsSync(file)) throw new Error(`${file} does not exist`);
  const target = await restoreTarget(database);
  requireFreeTarget(target, options.replace === true);
  await start('pg_restore', ['--list', file], { ...terminal.env }).ended;
  await fill(file, database.url, options.replace === true, terminal);
  const { print, paint } = terminal;
  print(`${paint('green', 'Restored')} ${file} into the database ${target.database}.`);
  const { applied } = await migrate(database);
  if (applied.length > 0) print(`Migrated to this release: ${applied.join(', ')}.`);
  const found = await auditLedger(config);
  // Journals on this disk are ahead of a backup, as they should be: nodes post them again when they start.
  const violations = found.filter(({ invariant }) => invariant !== 'I14');
  for (const { invariant, account, says } of violations) print(`${invariant}  ${account}  ${says}`);
  print(`Ledger audit ${violations.length === 0 ? 'passed' : 'failed'}: ${violations.length} violations.`);
  if (violations.length > 0) terminal.setExitCode(1);
  print(`\n${paint('bold', 'Next:')}`);
  print('  start the nodes; each posts the charges of its journal that the backup lacks');
  print('  trivium audit verify     whether the audit log is complete');
  print('  revoke again the keys that were revoked after the backup: they work again');
}
