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

export function listLoss(losses: Loss[], loss: Loss): void {
  if (losses.length < MAX_LISTED_LOSSES) losses.push(loss);
  else if (losses.length === MAX_LISTED_LOSSES) losses.push(MORE_LOSSES);
}
