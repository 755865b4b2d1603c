/** Kernel data about a process: open files, memory, children, and its open file limit. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Of the open files, those that are connections or listeners. */
export function openSockets(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((file) => isSocket(`${folder}/${file}`)).length;
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:');
  } catch {
    // Closed between listing and reading.
    return false;
  }
}

/** NaN for what has ended. */
export const parentOf = (pid: number): number => Number(statOf(pid)?.[1]);

/** One letter, such as `Z` for a zombie; undefined for a process that is gone. */
export const stateOf = (pid: number): string | undefined => statOf(pid)?.[0];

/** Of the processes that run now. */
export const childrenOf = (parent: number): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);

/** Processor time in seconds, all threads together; 0 for what has ended. */
export function processorSeconds(pid: number): number {
  const [, , , , , , , , , , , user = 0, system = 0] = statOf(pid) ?? [];
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}

const TICKS_PER_SECOND = 100;

/** The fields after its name, which may hold anything: state, parent, … */
function statOf(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(') ') + 2).split(' ');
  } catch {
    // It has ended since it was named.
    return undefined;
  }
}

/** SIGKILL for a server with all its processes: no cleanup runs. */
export function killTree(pid: number): void {
  const children = childrenOf(pid);
  for (const each of [pid, ...children]) {
    try {
      process.kill(each, 'SIGKILL');
    } catch {
      // It has already exited.
    }
  }
}

export const residentBytes = (pid: number): number => memoryOf(pid, /^VmRSS:\s+(\d+) kB$/m);

/** Its peak value. */
export const peakBytes = (pid: number): number => memoryOf(pid, /^VmHWM:\s+(\d+) kB$/m);

function memoryOf(pid: number, line: RegExp): number {
  return Number(line.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
}

/** Node raises its soft limit to the hard one at start, so the hard one counts. */
function maxOpenFiles(): number {
  const hard = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard ?? 0);
}

/** Ensures that this process, and those it starts from now on, may open this many files. */
export function allowOpenFiles(count: number): void {
  if (maxOpenFiles() >= count) return;
  const raised = spawnSync('prlimit', ['--pid', String(process.pid), `--nofile=${count}:${count}`]);
  if (raised.status !== 0)
    throw new Error(`this needs ${count} open files, and the limit is ${maxOpenFiles()}: raise it with ulimit -Hn`);
}

const ESTABLISHED = '01';

/**
 * Local ports of the connections to a port of this machine that are still established. The kernel knows when a peer has
 * reset a connection, while a process that does not read it does not.
 */
export function establishedTo(remotePort: number): ReadonlySet<number> {
  const wanted = `:${remotePort.toString(16).toUpperCase().padStart(4, '0')}`;
  const ports = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote = '', state]) => remote.endsWith(wanted) && state === ESTABLISHED)
    .map(([, local = '']) => Number.parseInt(local.slice(local.indexOf(':') + 1), 16));
  return new Set(ports);
}
