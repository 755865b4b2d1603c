// Models of a host with unusual paths: a closed, flat record, read by this folder only.

export interface QueueQuirks {
  /** Name prefixes of models whose text-only calls go to `…/text-to-image`. */
  readonly wordsApart: readonly string[];
  /** Name prefixes of models that edit at their own path, with at most one input image. */
  readonly onePicture: readonly string[];
}

export const COMMON_QUEUE: QueueQuirks = { wordsApart: [], onePicture: [] };

const isOurs = (quirks: object): quirks is QueueQuirks => 'onePicture' in quirks;

/** The quirks of a target that speaks this dialect. */
export const quirksOf = (target: { readonly quirks: object }): QueueQuirks =>
  isOurs(target.quirks) ? target.quirks : COMMON_QUEUE;
