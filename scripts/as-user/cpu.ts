/** CPU time of programs, of those that run and of those that have ended: what the kernel says of them and of those they started. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever the kernel's own clock. */
const TICKS_PER_SECOND = 100;

type Process = { readonly pid: number; readonly parent: number; readonly command: string; readonly ticks: number };

function readProcess(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may have blanks and parentheses of its own.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    const ticks = fields.slice(11, 15).reduce((sum, text) => sum + Number(text), 0);
    return { pid, parent: Number(fields[1]), command, ticks };
  } catch {
    return undefined;
  }
}

/** Of all that this process has started and waited for, and of what those waited for. */
export function endedSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

/** Of the processes with this text in their command lines, and of all below them; of those that ended if someone waited for them. */
export function cpuOf(text: string, alsoPid: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
  const counted = new Set(
    all.filter(({ pid, command }) => pid === alsoPid || command.includes(text)).map(({ pid }) => pid),
  );
  for (let before = -1; before !== counted.size; ) {
    before = counted.size;
    for (const { pid, parent } of all) if (counted.has(parent)) counted.add(pid);
  }
  return all.reduce((sum, { pid, ticks }) => sum + (counted.has(pid) ? ticks : 0), 0) / TICKS_PER_SECOND;
}
