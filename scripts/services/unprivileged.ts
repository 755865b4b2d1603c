/** Starting servers as a user who is not root, and finding out whether they run. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { RunAs } from '../../packages/cli/src/embedded/unprivileged.ts';

export { privateFolder, runAs } from '../../packages/cli/src/embedded/unprivileged.ts';

export type Server = { readonly url: string; readonly pid: number };

const COMMAND_LIMIT_MS = 120_000;

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

/**
 * Whether a process of that name has this id; ids left behind by a dead one are given out again. A process that was killed but
 * not yet reaped by its parent does not run: on some machines that takes the first process many seconds.
 */
export function isRunning(pid: number, name: string): boolean {
  const seen = processOf(pid);
  return seen !== undefined && seen.name === name && !seen.isDead;
}

export function processOf(pid: number): { readonly name: string; readonly isDead: boolean } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = stat.lastIndexOf(') ');
    return { name: stat.slice(stat.indexOf('(') + 1, end), isDead: 'ZX'.includes(stat[end + 2] ?? 'X') };
  } catch {
    return undefined;
  }
}
