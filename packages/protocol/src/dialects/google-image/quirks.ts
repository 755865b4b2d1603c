// How one host's image models differ: a closed, flat record, read by this folder only.

export interface ImageQuirks {
  /** The host returns the requested format; other hosts choose it themselves. */
  readonly cloudFields: boolean;
}

export const COMMON_IMAGE: ImageQuirks = { cloudFields: true };

const isImageQuirks = (quirks: object): quirks is ImageQuirks => 'cloudFields' in quirks;

/** The quirks of a target that speaks this dialect. */
export const quirksOf = (target: { readonly quirks: object }): ImageQuirks =>
  isImageQuirks(target.quirks) ? target.quirks : COMMON_IMAGE;
