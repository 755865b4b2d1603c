/**
 * The release before on the schema of now: the tests that its store, ledger and admin API had, with its code, in databases that
 * this checkout's migrations have made. Without an argument that is the commit before the newest migration came.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = new URL('..', import.meta.url).pathname;
const MIGRATIONS = 'packages/gateway/migrations';
/** What speaks to the database. What a release said of its own files is of no interest. */
const TESTS = ['tests/store', 'tests/ledger-sql', 'tests/admin', '--exclude', 'tests/store/migrations.test.ts'];

const git = (...parts: readonly string[]): string =>
  execFileSync('git', ['-C', ROOT, ...parts], { encoding: 'utf8' }).trim();

function beforeNewestMigration(): string {
  const added = git('log', '-1', '--diff-filter=A', '--format=%H', '--', `${MIGRATIONS}/*.sql`);
  if (added === '') throw new Error('the history is too short: name a commit or a tag');
  return `${added}^`;
}

/** This checkout's dependencies, but its own packages. */
function linkModules(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@trivium'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@trivium' && name !== 'trivium') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  for (const name of readdirSync(join(folder, 'packages'))) {
    symlinkSync(join(folder, 'packages', name), join(modules, '@trivium', name));
    const own = join(ROOT, 'packages', name, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(folder, 'packages', name, 'node_modules'));
  }
}

function bringSchema(folder: string): void {
  for (const name of readdirSync(join(ROOT, MIGRATIONS)))
    if (name.endsWith('.sql')) copyFileSync(join(ROOT, MIGRATIONS, name), join(folder, MIGRATIONS, name));
}

const commit = git('rev-parse', process.argv[2] ?? beforeNewestMigration());
const folder = join(mkdtempSync(join(tmpdir(), 'previous-release-')), 'checkout');
git('worktree', 'add', '--detach', folder, commit);
try {
  linkModules(folder);
  bringSchema(folder);
  console.log(git('log', '-1', '--format=%h %s', commit));
  const options = { cwd: folder, stdio: 'inherit' } as const;
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...TESTS], options);
  spawnSync(process.execPath, ['scripts/services/run.ts', 'stop'], options);
  process.exitCode = status ?? 1;
} finally {
  git('worktree', 'remove', '--force', folder);
  rmSync(join(folder, '..'), { recursive: true, force: true });
}
