/** The losses of one call, each field once. */
import type { CanonicalField } from '../canonical/fields.ts';
import type { LossReason } from '../canonical/loss.ts';

type Lost<F> = { readonly field: F; readonly why: LossReason };

export class LossList<F extends string = CanonicalField> {
  readonly #list: Lost<F>[] = [];

  add(field: F, why: LossReason = 'no-equivalent'): void {
    if (!this.#list.some((loss) => loss.field === field)) this.#list.push({ field, why });
  }

  addAll(losses: readonly Lost<F>[]): void {
    for (const { field, why } of losses) this.add(field, why);
  }

  get all(): readonly Lost<F>[] {
    return this.#list;
  }
}
