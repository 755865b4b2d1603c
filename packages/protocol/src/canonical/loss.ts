/** Something in the request or the answer that the target format could not carry. Every loss is reported. */
export const LOSS_REASONS = ['no-equivalent', 'not-forwarded', 'approximated', 'clamped', 'foreign-seal'] as const;

export type LossReason = (typeof LOSS_REASONS)[number];

export type Loss = {
  /** Field path in the caller's own spelling. */
  readonly path: string;
  readonly why: LossReason;
};

/** A request chooses how many members it has that are lost: a list of them ends after this many. */
export const MAX_LISTED_LOSSES = 256;
/** The last entry of a list that would be longer. A strict caller, who tolerates none, gets its error all the same. */
export const MORE_LOSSES: Loss = { path: '...', why: 'no-equivalent' };

/** The losses of one request or answer by their paths, each once. */
export class PathLosses {
  readonly #list: Loss[] = [];

  add(path: string, why: LossReason = 'no-equivalent'): void {
    const count = this.#list.length;
    if (count > MAX_LISTED_LOSSES || this.#list.some((loss) => loss.path === path)) return;
    this.#list.push(count < MAX_LISTED_LOSSES ? { path, why } : MORE_LOSSES);
  }

  addAll(losses: readonly Loss[]): void {
    for (const { path, why } of losses) this.add(path, why);
  }

  get all(): readonly Loss[] {
    return this.#list;
  }
}
