/** This process first, then all of them: whoever waits here waits in memory, and only one of each node asks the database. */
import type { Keeping, RepeatClaim, Repeats } from '../kernel/idempotency.ts';

export class LayeredRepeats implements Repeats {
  readonly #here: Repeats;
  readonly #everywhere: Repeats;

  constructor(here: Repeats, everywhere: Repeats) {
    this.#here = here;
    this.#everywhere = everywhere;
  }

  get maxAnswerLength(): number {
    return this.#everywhere.maxAnswerLength;
  }

  async claim(request: Parameters<Repeats['claim']>[0]): Promise<RepeatClaim> {
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

const both = (one: Keeping, other: Keeping): Keeping => ({
  keep: (answer) => {
    one.keep(answer);
    other.keep(answer);
  },
  tooLong: () => {
    one.tooLong();
    other.tooLong();
  },
  forget: () => {
    // The row goes first: whoever waits here asks for it next.
    other.forget();
    one.forget();
  },
});
