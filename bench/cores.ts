// CPU pinning: the proxy under test has one core to itself, everything else (load, upstream, this harness) shares
// another, so that the figures of a proxy never contain the work of its own load generator.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Cores {
  readonly load: number;
  readonly proxy: number;
}

/** Reads a list such as "0-2,5" as the kernel prints it. */
function readCoreList(text: string): readonly number[] {
  return text.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

let chosen: Cores | undefined;

/** Cached for later runs: after the first one this process is pinned and sees only one core. */
export function chooseCores(): Cores {
  chosen ??= firstTwoCores();
  return chosen;
}

function firstTwoCores(): Cores {
  const status = readFileSync('/proc/self/status', 'utf8');
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? '';
  const [load, proxy] = readCoreList(list);
  if (load === undefined || proxy === undefined) {
    throw new Error(`the benchmark needs two cores; this process may use only "${list}"`);
  }
  return { load, proxy };
}

export function pinSelf(core: number): void {
  const result = spawnSync('taskset', ['-a', '-c', '-p', String(core), String(process.pid)], { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`taskset failed: ${result.error?.message ?? result.stderr}`);
}
