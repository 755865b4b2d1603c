/**
 * Runs the previous release on the current schema: its own tests of store, ledger and admin API, with its code, on databases
 * that this checkout's migrations created. Without an argument, the previous release is the commit before the newest migration.
 * A commit before the baseline keeps its own files for what the baseline stands for: `npm run test:baseline` shows that both make the same.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS, openPreviousRelease } from './previous-release.ts';

const ROOT = new URL('..', import.meta.url).pathname;
/** The tests that use the database, without the one that checks the release's own migration files. */
const TESTS = ['tests/store', 'tests/ledger-sql', 'tests/admin'];
const OF_MIGRATIONS = 'tests/store/migrations.test.ts';

function bringSchema(folder: string): void {
  for (const name of readdirSync(join(ROOT, MIGRATIONS)))
    if (name.endsWith('.sql')) copyFileSync(join(ROOT, MIGRATIONS, name), join(folder, MIGRATIONS, name));
}

const { folder, title, close } = openPreviousRelease(process.argv[2]);
try {
  bringSchema(folder);
  rmSync(join(folder, OF_MIGRATIONS));
  console.log(title);
  const options = { cwd: folder, stdio: 'inherit' } as const;
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...TESTS], options);
  spawnSync(process.execPath, ['scripts/services/run.ts', 'stop'], options);
  process.exitCode = status ?? 1;
} finally {
  close();
}
