/** Makes one statement of what many requests ask at about the same time. */
import { isUnreachable } from '../../store/postgres/unreachable.ts';

const MAX_AT_ONCE = 128;

type Waiting<T, R> = {
  readonly one: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
};

export class Batches<T, R> {
  readonly #run: (batch: readonly T[]) => Promise<readonly R[]>;
  #waiting: Waiting<T, R>[] = [];
  #isRunning = false;

  /** Results in the order of the batch. */
  constructor(run: (batch: readonly T[]) => Promise<readonly R[]>) {
    this.#run = run;
  }

  add(one: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ one, resolve, reject });
      if (!this.#isRunning) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isRunning = true;
    // What is added in this turn of the loop shares the first batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_AT_ONCE);
      if (!(await this.#settle(batch))) for (const waiting of batch) await this.#settle([waiting]);
    }
    this.#isRunning = false;
  }

  /** False where one of several may have spoilt the others: each is then tried alone. */
  async #settle(batch: readonly Waiting<T, R>[]): Promise<boolean> {
    try {
      const results = await this.#run(batch.map(({ one }) => one));
      for (const [at, { resolve }] of batch.entries()) resolve(results[at]!);
    } catch (error) {
      if (batch.length > 1 && !isUnreachable(error)) return false;
      for (const { reject } of batch) reject(error);
    }
    return true;
  }
}
