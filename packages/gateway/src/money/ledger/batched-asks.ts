/** Holds requested within a few milliseconds go to the ledger database in one batch: one round trip, one commit. */
import { applyInParts } from './apply-in-parts.ts';
import type { Command, Result } from './core/commands.ts';
import type { LedgerDatabase } from './ledger-database.ts';

const GATHER_MS = 2;
const MOST_IN_A_BATCH = 128;
/** More concurrent batches would wait for the same account locks, and leave no connection for leases and heartbeats. */
const MOST_UNDER_WAY = 4;

type Waiting = {
  readonly command: Command;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

/** The database refused the command even when it was sent alone. */
type RefusedAsk = { readonly is: 'refused-alone'; readonly error: unknown };

const refusedAlone = async (_: Command, error: unknown): Promise<RefusedAsk> => ({ is: 'refused-alone', error });

export class BatchedAsks {
  readonly #database: LedgerDatabase;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #underWay = 0;

  constructor(database: LedgerDatabase) {
    this.#database = database;
  }

  ask(command: Command): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ command, resolve, reject });
      if (this.#waiting.length >= MOST_IN_A_BATCH) this.#send();
      else this.#timer ??= setTimeout(() => this.#send(), GATHER_MS);
    });
  }

  /** Commands without a free slot wait for the next batch to be answered. */
  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.length > 0 && this.#underWay < MOST_UNDER_WAY) {
      const batch = this.#waiting.splice(0, MOST_IN_A_BATCH);
      this.#underWay++;
      void this.#apply(batch).finally(() => {
        this.#underWay--;
        this.#send();
      });
    }
  }

  async #apply(batch: readonly Waiting[]): Promise<void> {
    const commands = batch.map(({ command }) => command);
    try {
      const results = await applyInParts(this.#database, commands, refusedAlone);
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index];
        if (result === undefined) reject(new Error('the ledger database did not answer every command'));
        else if (result.is === 'refused-alone') reject(result.error);
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
