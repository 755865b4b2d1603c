/** PostgreSQL refuses to run as root: who to run as instead, and how to start a program as that user. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync } from 'node:fs';

export type Server = { readonly url: string; readonly pid: number };

export type RunAs = { readonly uid: number; readonly gid: number } | undefined;

const COMMAND_LIMIT_MS = 120_000;

const idOf = (flag: '-u' | '-g', user: string): number =>
  Number(execFileSync('id', [flag, user], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));

/** Undefined: as ourselves. */
export function runAs(user: string): RunAs {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of [user, 'nobody']) {
    try {
      return { uid: idOf('-u', name), gid: idOf('-g', name) };
    } catch {}
  }
  throw new Error(`cannot run as root, and there is neither a user ${user} nor nobody`);
}

/** A folder only that user can read. */
export function privateFolder(path: string, as: RunAs): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (as !== undefined) chownSync(path, as.uid, as.gid);
}

export function run(program: string, args: readonly string[], cwd: string, as: RunAs): void {
  const { status, stderr, stdout, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    timeout: COMMAND_LIMIT_MS,
    // Servers go on after us: they must not hold our pipes open.
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
    ...as,
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args[0]} ended with ${status}:\n${stdout}${stderr}`);
}

/** Whether that user can get at files below a folder of ours. */
export const canReach = (folder: string, as: RunAs): boolean =>
  as === undefined || spawnSync('/bin/ls', [folder], { cwd: '/', stdio: 'ignore', ...as }).status === 0;

/** Whether a process of that name has this id; ids left behind by a dead one are given out again. */
export function isRunning(pid: number, name: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name;
  } catch {
    return false;
  }
}
