/** Something in the request or the answer that the target format could not carry. Every loss is reported. */
export const LOSS_REASONS = ['no-equivalent', 'not-forwarded', 'approximated', 'clamped', 'foreign-seal'] as const;

export type LossReason = (typeof LOSS_REASONS)[number];

export type Loss = {
  /** Field path in the caller's own spelling. */
  readonly path: string;
  readonly why: LossReason;
};
