/** An earlier commit of the checkout in a separate folder, ready to run with this checkout's dependencies. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = new URL('..', import.meta.url).pathname;
export const MIGRATIONS = 'packages/gateway/migrations';

const MAINS = ['heads/main', 'remotes/origin/main'];

export type PreviousRelease = {
  readonly folder: string;
  /** Hash and subject of its commit. */
  readonly title: string;
  close(): void;
};

const git = (...parts: readonly string[]): string =>
  execFileSync('git', ['-C', ROOT, ...parts], { encoding: 'utf8' }).trim();

/** Whether the history of this checkout goes back to it; a download of the sources has none. */
export function hasCommit(commit: string): boolean {
  const { status } = spawnSync('git', ['-C', ROOT, 'cat-file', '-e', `${commit}^{commit}`]);
  return status === 0;
}

function beforeNewestMigration(): string {
  // As main saw it: a branch's own history may have commits that were never whole.
  const added = git(
    'log',
    '-1',
    '--first-parent',
    '-m',
    '--no-renames',
    '--diff-filter=A',
    '--format=%H',
    '--',
    `${MIGRATIONS}/*.sql`,
  );
  if (added === '') throw new Error('the history is too short: name a commit or a tag');
  return `${added}^`;
}

/**
 * Where a branch left main; on main the merges before, latest first, or without any the parent. Commits between them may be pieces of
 * one change that do not even build.
 */
export function landedBefore(most: number): readonly string[] {
  const head = git('rev-parse', 'HEAD');
  const main = MAINS.find((name) => git('for-each-ref', `refs/${name}`) !== '');
  const left = main === undefined ? head : git('merge-base', head, main);
  const start = left === head ? `${head}^` : left;
  const merges = git('log', '--first-parent', '--merges', `-${most}`, '--format=%H', start).split('\n');
  const landed = [...(left === head ? [] : [left]), ...merges.filter((commit) => commit !== left && commit !== '')];
  return landed.length > 0 ? landed.slice(0, most) : [git('rev-parse', start)];
}

/** This checkout's dependencies, and the folder's own packages. */
export function linkModules(folder: string): void {
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

/** Of the commit or tag; without one, of the commit before the newest migration came. All of it, or some paths. */
export function openPreviousRelease(named?: string, paths: readonly string[] = []): PreviousRelease {
  const commit = git('rev-parse', named ?? beforeNewestMigration());
  const folder = mkdtempSync(join(tmpdir(), 'previous-release-'));
  const files = execFileSync('git', ['-C', ROOT, 'archive', commit, ...paths], { maxBuffer: 1e9 });
  execFileSync('tar', ['-x', '-C', folder], { input: files });
  linkModules(folder);
  return {
    folder,
    title: git('log', '-1', '--format=%h %s', commit),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
