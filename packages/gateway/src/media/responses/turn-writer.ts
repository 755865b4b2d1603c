/** Writes turns that end at about the same time in one transaction. */
import type { NewRow } from './rows.ts';

const MAX_ROWS = 128;

type Waiting = {
  readonly row: NewRow;
  readonly resolve: (isStored: boolean) => void;
  readonly reject: (error: unknown) => void;
};

export class TurnWriter {
  readonly #insert: (rows: readonly NewRow[]) => Promise<ReadonlySet<string>>;
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(insert: (rows: readonly NewRow[]) => Promise<ReadonlySet<string>>) {
    this.#insert = insert;
  }

  /** False if the key it is encrypted with is not its account's any more. */
  write(row: NewRow): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row, resolve, reject });
      if (!this.#isWriting) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isWriting = true;
    // Answers that end in this turn of the loop share the first transaction.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_ROWS);
      if (!(await this.#store(batch)) && batch.length > 1)
        // One row may spoil the others.
        for (const one of batch) await this.#store([one]);
    }
    this.#isWriting = false;
  }

  /** Of several, a failure is told to none of them: each is tried alone. */
  async #store(batch: readonly Waiting[]): Promise<boolean> {
    try {
      const stored = await this.#insert(batch.map(({ row }) => row));
      for (const { row, resolve } of batch) resolve(stored.has(row.id));
      return true;
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      return false;
    }
  }
}
