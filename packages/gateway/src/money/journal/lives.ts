/**
 * Which process a journal belongs to: its name starts with machine and process, so that a process's successor finds it.
 */
import { hostname } from 'node:os';

/** Names of the nodes in this process: several gateways may share one. */
const ownNodes = new Set<string>();

export function nameNode(nextId: () => string): string {
  const node = `${hostname().replaceAll(/[^\w-]/g, '-')}.${process.pid}.${nextId()}`;
  ownNodes.add(node);
  return node;
}

/**
 * Whether the process that an epoch of this machine was named after is gone. If its process id is ours, the epoch
 * belongs to a former process, unless it belongs to one of this process's own nodes.
 */
export function isOver(epoch: string): boolean {
  if (ownNodes.has(epoch.slice(0, epoch.lastIndexOf('.')))) return false;
  const pid = Number(epoch.split('.')[1]);
  if (pid === process.pid || !Number.isSafeInteger(pid)) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'EPERM');
  }
}
