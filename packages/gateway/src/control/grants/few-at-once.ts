/**
 * Transactions of sign-ins, a few at once: when everyone renews at the same time, lookups of keys still find a connection, and no
 * renewal fails because one was long in coming. The requests that wait are bounded where they are taken.
 */
import { type Db, OPERATOR, type Store } from '../../store/postgres/store.ts';

export class FewAtOnce {
  readonly #store: Pick<Store, 'within'>;
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #urgent: (() => void)[] = [];

  constructor(store: Pick<Store, 'within'>, most: number) {
    this.#store = store;
    this.#free = most;
  }

  /** As the operator. `isUrgent`: what the issuer has said must be written, so it goes before new questions. */
  async within<T>(work: (db: Db) => Promise<T>, isUrgent = false): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => (isUrgent ? this.#urgent : this.#waiting).push(resolve));
    try {
      return await this.#store.within(OPERATOR, work);
    } finally {
      const next = this.#urgent.shift() ?? this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
