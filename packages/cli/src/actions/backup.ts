// What `trivium backup` does: one file with the whole database, as of one moment, and what is not in it.

import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { requireReadable } from '@trivium/gateway';
import { connectionOf, start } from '../backup/postgres-programs.ts';
import { requireConfig } from '../read-config.ts';
import type { Terminal } from '../terminal.ts';

const OWNER_ONLY = 0o600;
const MB = 1_000_000;

/** A pooler may drop the operator's tenant, and the dump would have no rows. */
const REQUIRE_TENANT = `do $$ begin
  if current_setting('trivium.tenant', true) is distinct from '*' then
    raise 'a connection pooler drops PGOPTIONS; let database.url lead to PostgreSQL itself';
  end if;
end $$`;

export type BackupOptions = { readonly config?: string; readonly force?: true };

export async function backup(file: string, options: BackupOptions, terminal: Terminal): Promise<void> {
  const { database, ledger, blobs } = await requireConfig(options.config, terminal);
  if (database === undefined) throw new Error('the configuration names no database: there is nothing to back up');
  if (existsSync(file) && options.force !== true) throw new Error(`${file} exists; pass --force to replace it`);
  await requireReadable(database);
  const partial = `${file}.partial`;
  const { address, env } = connectionOf(database.url, terminal.env);
  await start('psql', ['--no-psqlrc', '--no-password', `--dbname=${address}`, `--command=${REQUIRE_TENANT}`], env)
    .ended;
  // Made first, so that only its owner can read it from the first byte on.
  closeSync(openSync(partial, 'w', OWNER_ONLY));
  try {
    const args = [
      '--format=custom',
      '--no-password',
      '--enable-row-security',
      `--file=${partial}`,
      `--dbname=${address}`,
    ];
    await start('pg_dump', args, env).ended;
    renameSync(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
  const { print, paint } = terminal;
  print(`${paint('green', 'Wrote')} ${file} (${(statSync(file).size / MB).toFixed(1)} MB), which only you may read.`);
  print(
    'In it: accounts, members, keys (as hashes), ledger, usage, requests, stored credentials (encrypted), videos in progress.',
  );
  print(`\n${paint('bold', 'Not in it, to be kept elsewhere:')}`);
  print('  the configuration file');
  print('  secrets.keys  without them stored credentials, webhook secrets and captured content cannot be decrypted');
  print('  seals.keys    without them reasoning from before is dropped');
  print(
    `  journals      ${ledger.journal} of each node: charges of the last seconds; a node posts them when it starts`,
  );
  print(
    `  media         ${blobs.s3 === undefined ? blobs.folder : `the bucket ${blobs.s3.origin}${blobs.s3.bucketPath}`}: videos, captured content`,
  );
}
