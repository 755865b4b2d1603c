/** The losses of one call, each field once. */
import type { CanonicalField, FieldLoss } from '../canonical/fields.ts';
import type { LossReason } from '../canonical/loss.ts';

export class LossList {
  readonly #list: FieldLoss[] = [];

  add(field: CanonicalField, why: LossReason = 'no-equivalent'): void {
    if (!this.#list.some((loss) => loss.field === field)) this.#list.push({ field, why });
  }

  addAll(losses: readonly FieldLoss[]): void {
    for (const { field, why } of losses) this.add(field, why);
  }

  get all(): readonly FieldLoss[] {
    return this.#list;
  }
}
