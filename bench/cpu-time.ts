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

export function treeCpuNs(pid: number): number {
  let total = 0;
  for (const thread of threadsOf(pid)) {
    const folder = `/proc/${pid}/task/${thread}`;
    total += Number(readIfPresent(`${folder}/schedstat`).split(' ')[0] ?? 0);
    for (const child of readIfPresent(`${folder}/children`).trim().split(' ')) {
      if (child !== '') total += treeCpuNs(Number(child));
    }
  }
  return total;
}
