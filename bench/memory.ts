// Resident memory of a process tree. Pages shared between its processes count once each, so it overstates a little.
import { readFileSync } from 'node:fs';
import { treeOf } from './cpu-time.ts';

export function treeResidentBytes(pid: number): number {
  return treeOf(pid).reduce((sum, id) => {
    try {
      const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1];
      return sum + Number(kilobytes ?? 0) * 1_024;
    } catch {
      return sum;
    }
  }, 0);
}
