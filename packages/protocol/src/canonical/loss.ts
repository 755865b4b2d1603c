/** Something the caller asked for, or the upstream answered, that could not be carried across. Never silent. */
export const LOSS_REASONS = ['no-equivalent', 'not-forwarded', 'approximated', 'clamped', 'foreign-seal'] as const;

export type LossReason = (typeof LOSS_REASONS)[number];

export type Loss = {
  /** Field path in the caller's own spelling. */
  readonly path: string;
  readonly why: LossReason;
};
