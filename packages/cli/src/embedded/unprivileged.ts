// PostgreSQL refuses to run as root: the user to run it as instead, and folders that only this user can read.

import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';

/** Undefined: the current user. */
export type RunAs = { readonly uid: number; readonly gid: number } | undefined;

const idOf = (flag: '-u' | '-g', user: string): number =>
  Number(execFileSync('id', [flag, user], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));

export function runAs(user: string): RunAs {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of [user, 'nobody']) {
    try {
      return { uid: idOf('-u', name), gid: idOf('-g', name) };
    } catch {}
  }
  throw new Error(`cannot run as root, and there is neither a user ${user} nor nobody`);
}

export function privateFolder(path: string, as: RunAs): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (as !== undefined) chownSync(path, as.uid, as.gid);
}
