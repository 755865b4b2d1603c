/** CPU time of programs: of a command by the shell's own count, of running ones by what the kernel says of them and those they started. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever the kernel's own clock. */
const TICKS_PER_SECOND = 100;

export type Timed = { readonly output: string; readonly cpuSeconds: number };

/** Runs a command in a shell, and counts it and all it waited for. */
export function timed(command: string, options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }): Timed {
  const output = execFileSync('bash', ['-ec', `${command}\necho; times`], { ...options, encoding: 'utf8' });
  // The shell's own times, then those of what it started.
  const lines = output.trimEnd().split('\n');
  return { output: lines.slice(0, -2).join('\n'), cpuSeconds: secondsOf(lines.at(-1) ?? '') };
}

/** Of `0m1.234s 0m0.567s`, the times as user and in the kernel. */
export function secondsOf(line: string): number {
  const times = [...line.matchAll(/(\d+)m([\d.]+)s/g)];
  if (times.length !== 2) throw new Error(`no times: ${line}`);
  return times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}

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
