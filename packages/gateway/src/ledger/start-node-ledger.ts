/** The ledger of this process: named after machine and process, so that whoever comes after it finds its journal. */
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { NodeLedger } from './node-ledger.ts';
import { SqlBook } from './sql-book.ts';

export type StartPorts<Tables> = {
  readonly writer: Kysely<Tables>;
  readonly journalFolder: string;
  readonly nextId: () => string;
  readonly monotonicMs: () => number;
  readonly onTrouble: (error: unknown) => void;
};

/** Ledgers of this very process: several gateways may share it. */
const ownNodes = new Set<string>();

export async function startNodeLedger<Tables>(ports: StartPorts<Tables>): Promise<NodeLedger> {
  const book = new SqlBook(ports.writer);
  const node = `${hostname().replaceAll(/[^\w-]/g, '-')}.${process.pid}.${ports.nextId()}`;
  ownNodes.add(node);
  const journalFolder = join(ports.journalFolder, await book.identity());
  return NodeLedger.start({ ...ports, book, node, journalFolder, isOver });
}

/** A process that has our number is us: then the epoch is of a former one, unless it is of one of our own ledgers. */
function isOver(epoch: string): boolean {
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
