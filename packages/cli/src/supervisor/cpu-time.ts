// CPU time of another process, as the kernel counts it.

import { readFileSync } from 'node:fs';

/** Linux reports in hundredths of a second to every program, whatever its own clock is. */
const MS_PER_TICK = 10;

/** All threads together, in ms; undefined where there is no `/proc`, or the process has ended. */
export function cpuMsOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The fields after its name, which may hold anything.
    const [, , , , , , , , , , , user, system] = text.slice(text.lastIndexOf(') ') + 2).split(' ');
    return (Number(user) + Number(system)) * MS_PER_TICK;
  } catch {
    return undefined;
  }
}
