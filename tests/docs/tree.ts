/** The files of the project as a checkout has them. Walked rather than asked of git, so that it works on any copy. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = new URL('../../', import.meta.url).pathname;

/** Installed, built or left behind by a run: never part of a checkout. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'node_modules',
  '.git',
  'dist',
  '.venv',
  '.vitest',
  'coverage',
  '.trivium',
]);
const LEFT_OUT_PATHS: ReadonlySet<string> = new Set(['bench/build', 'bench/results', 'tests/results']);
const LEFT_OUT_NAMES = /\.(tgz|tsbuildinfo|pyc)$|^__pycache__$/;

function walk(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (LEFT_OUT.has(entry.name) || LEFT_OUT_PATHS.has(path) || LEFT_OUT_NAMES.test(entry.name)) return [];
    if (entry.isDirectory()) return walk(path);
    return entry.isFile() ? [path] : [];
  });
}

export const files: readonly string[] = walk('').sort();

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export const readJson = <T>(path: string): T => JSON.parse(read(path)) as T;

export function exists(path: string): boolean {
  try {
    statSync(join(ROOT, path));
    return true;
  } catch {
    return false;
  }
}
