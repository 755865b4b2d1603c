/** The ledger of this process, named after machine and process, so that its successor finds its journal. */
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { isOver, nameNode } from '../journal/lives.ts';
import { journalsOfOtherNames, type UsageFormat } from './left-journals.ts';
import { NodeLedger } from './node-ledger.ts';
import { PostgresLedger } from './postgres-ledger.ts';

export type StartPorts<Tables> = {
  readonly writer: Kysely<Tables>;
  readonly journalFolder: string;
  readonly nextId: () => string;
  readonly monotonicMs: () => number;
  readonly onTrouble: (error: unknown) => void;
  readonly usage?: UsageFormat & { readonly blamedOutcomes: string };
};

export async function startNodeLedger<Tables>(ports: StartPorts<Tables>): Promise<NodeLedger> {
  const database = new PostgresLedger(ports.writer, ports.usage?.blamedOutcomes);
  const node = nameNode(ports.nextId);
  const identity = await database.identity();
  const elsewhere = journalsOfOtherNames(ports.journalFolder, identity, isOver);
  if (elsewhere !== undefined) ports.onTrouble(elsewhere);
  const journalFolder = join(ports.journalFolder, identity);
  return NodeLedger.start({ ...ports, database, node, journalFolder, isOver });
}
