/** Holds that are asked for within a few milliseconds go to the book in one batch: one round trip, one commit. */
import type { BookPort } from './book-port.ts';
import type { Command, Result } from './core/commands.ts';

const GATHER_MS = 2;
const MOST_IN_A_BATCH = 128;

type Waiting = {
  readonly command: Command;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

export class BatchedAsks {
  readonly #book: BookPort;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(book: BookPort) {
    this.#book = book;
  }

  ask(command: Command): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ command, resolve, reject });
      if (this.#waiting.length >= MOST_IN_A_BATCH) this.#send();
      else this.#timer ??= setTimeout(() => this.#send(), GATHER_MS);
    });
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#book.apply(batch.map(({ command }) => command)).then(
      (results) => {
        for (const [index, { resolve, reject }] of batch.entries()) {
          const result = results[index];
          if (result === undefined) reject(new Error('the book did not answer every command'));
          else resolve(result);
        }
      },
      (error: unknown) => {
        for (const { reject } of batch) reject(error);
      },
    );
  }
}
