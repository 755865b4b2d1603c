/**
 * The release before on the schema of now: the tests that its store, ledger and admin API had, with its code, in databases that
 * this checkout's migrations have made. Without an argument that is the commit before the newest migration came.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS, openPreviousRelease } from './previous-release.ts';

const ROOT = new URL('..', import.meta.url).pathname;
/** What speaks to the database. What a release said of its own files is of no interest. */
const TESTS = ['tests/store', 'tests/ledger-sql', 'tests/admin', '--exclude', 'tests/store/migrations.test.ts'];

function bringSchema(folder: string): void {
  for (const name of readdirSync(join(ROOT, MIGRATIONS)))
    if (name.endsWith('.sql')) copyFileSync(join(ROOT, MIGRATIONS, name), join(folder, MIGRATIONS, name));
}

const { folder, title, close } = openPreviousRelease(process.argv[2]);
try {
  bringSchema(folder);
  console.log(title);
  const options = { cwd: folder, stdio: 'inherit' } as const;
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...TESTS], options);
  spawnSync(process.execPath, ['scripts/services/run.ts', 'stop'], options);
  process.exitCode = status ?? 1;
} finally {
  close();
}
