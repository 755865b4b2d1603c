/**
 * Asks this process first, then the database: repeats wait in memory, and only one request per node asks the database.
 */
import type { IdempotencyClaim, IdempotencyStore, Reservation } from '../../kernel/idempotency.ts';

export class LayeredIdempotencyStore implements IdempotencyStore {
  readonly #here: IdempotencyStore;
  readonly #everywhere: IdempotencyStore;

  constructor(here: IdempotencyStore, everywhere: IdempotencyStore) {
    this.#here = here;
    this.#everywhere = everywhere;
  }

  get maxAnswerLength(): number {
    return this.#everywhere.maxAnswerLength;
  }

  async claim(request: Parameters<IdempotencyStore['claim']>[0]): Promise<IdempotencyClaim> {
    const here = await this.#here.claim(request);
    if (here.kind !== 'first') return here;
    try {
      const everywhere = await this.#everywhere.claim(request);
      if (everywhere.kind === 'first') return { kind: 'first', keeping: both(here.keeping, everywhere.keeping) };
      if (everywhere.kind === 'kept') here.keeping.keep(everywhere.answer);
      else here.keeping.forget();
      return everywhere;
    } catch (error) {
      here.keeping.forget();
      throw error;
    }
  }
}

const both = (one: Reservation, other: Reservation): Reservation => ({
  hold: (characters) => one.hold?.(characters) ?? true,
  keep: (answer) => {
    one.keep(answer);
    other.keep(answer);
  },
  tooLong: () => {
    one.tooLong();
    other.tooLong();
  },
  forget: () => {
    // The removal of the row starts first: requests waiting in this process ask for it next.
    other.forget();
    one.forget();
  },
});
