// CPU time of a process tree in nanoseconds, read from the scheduler's own accounts (finer than the 10 ms ticks of
// /proc/PID/stat). A thread that ends between two readings takes its account with it; the contenders keep theirs.
import { readdirSync, readFileSync } from 'node:fs';

function readIfPresent(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** The process and all below it. */
export function treeOf(pid: number): readonly number[] {
  const children = threadsOf(pid).flatMap((thread) =>
    readIfPresent(`/proc/${pid}/task/${thread}/children`).trim().split(' '),
  );
  return [pid, ...children.filter((child) => child !== '').flatMap((child) => treeOf(Number(child)))];
}

export function treeCpuNs(pid: number): number {
  let total = 0;
  for (const id of treeOf(pid))
    for (const thread of threadsOf(id))
      total += Number(readIfPresent(`/proc/${id}/task/${thread}/schedstat`).split(' ')[0] ?? 0);
  return total;
}
