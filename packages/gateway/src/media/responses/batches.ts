/** Makes one statement of what many requests ask at about the same time: its results are in the order of the batch. */
import { Gathered } from '../../kernel/gathered.ts';
import { isUnreachable } from '../../store/postgres/unreachable.ts';

/** Short beside a call of a model; at 1,000 turns a second five of them share a statement. */
const BATCHES = { waitMs: 5, mostInBatch: 128, mostUnderWay: 1 };

type Result<R> = { readonly of: R } | { readonly error: unknown };

export class Batches<T, R> {
  readonly #gathered: Gathered<T, Result<R>>;

  constructor(run: (batch: readonly T[]) => Promise<readonly R[]>) {
    const tried = async (batch: readonly T[]): Promise<readonly Result<R>[]> => {
      try {
        return (await run(batch)).map((of) => ({ of }));
      } catch (error) {
        if (batch.length === 1 || isUnreachable(error)) return batch.map(() => ({ error }));
        // One of several may have spoilt the others.
        const alone: Result<R>[] = [];
        for (const one of batch) alone.push(...(await tried([one])));
        return alone;
      }
    };
    this.#gathered = new Gathered(tried, BATCHES);
  }

  async add(one: T): Promise<R> {
    const result = await this.#gathered.ask(one);
    if ('error' in result) throw result.error;
    return result.of;
  }
}
