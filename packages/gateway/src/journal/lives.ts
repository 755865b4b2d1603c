/** Whose a journal is: its name begins with machine and process, so that whoever comes after a process finds its own. */
import { hostname } from 'node:os';

/** Names of this very process: several gateways may share it. */
const ownNodes = new Set<string>();

export function nameNode(nextId: () => string): string {
  const node = `${hostname().replaceAll(/[^\w-]/g, '-')}.${process.pid}.${nextId()}`;
  ownNodes.add(node);
  return node;
}

/**
 * Whether the process that an epoch of this machine was named after is gone. A process that has our number is us: then
 * the epoch is of a former one, unless it is of one of our own nodes.
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
