// Which models of a host have other paths than most: a closed, flat record, read by this folder only.

export interface QueueQuirks {
  /** How names of models begin whose words alone go to `…/text-to-image`. */
  readonly wordsApart: readonly string[];
  /** How names of models begin that edit at their own path, and one picture at most. */
  readonly onePicture: readonly string[];
}

export const COMMON_QUEUE: QueueQuirks = { wordsApart: [], onePicture: [] };

const isOurs = (quirks: object): quirks is QueueQuirks => 'onePicture' in quirks;

/** The quirks of a target that speaks this dialect. */
export const quirksOf = (target: { readonly quirks: object }): QueueQuirks =>
  isOurs(target.quirks) ? target.quirks : COMMON_QUEUE;
