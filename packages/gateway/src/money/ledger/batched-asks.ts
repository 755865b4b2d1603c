/** Holds requested within a few milliseconds go to the ledger database in one batch: one round trip, one commit. */
import { Gathered } from '../../kernel/gathered.ts';
import { applyInParts } from './apply-in-parts.ts';
import type { Command, Result } from './core/commands.ts';
import type { LedgerDatabase } from './ledger-database.ts';

/** More batches at a time would wait for the same account locks, and leave no connection for leases and heartbeats. */
const BATCHES = { waitMs: 2, mostInBatch: 128, mostUnderWay: 4 };

/** The database refused the command even when it was sent alone. */
type RefusedAsk = { readonly is: 'refused-alone'; readonly error: unknown };

const refusedAlone = async (_: Command, error: unknown): Promise<RefusedAsk> => ({ is: 'refused-alone', error });

export class BatchedAsks {
  readonly #asks: Gathered<Command, Result | RefusedAsk>;

  constructor(database: LedgerDatabase) {
    this.#asks = new Gathered((commands) => applyInParts(database, commands, refusedAlone), BATCHES);
  }

  async ask(command: Command): Promise<Result> {
    const result = await this.#asks.ask(command);
    if (result.is === 'refused-alone') throw result.error;
    return result;
  }
}
