// How one host's embeddings differ from the format's home: a closed, flat record, read by this folder only.

export interface EmbedQuirks {
  /** The form that takes several inputs at once: `batch` is `:batchEmbedContents`, `predict` is `:predict`. */
  readonly form: 'batch' | 'predict';
  /** Maximum number of inputs per call. */
  readonly inputsMax: number;
}

export const COMMON_EMBED: EmbedQuirks = { form: 'batch', inputsMax: 100 };

/** The quirks of a target that speaks this dialect. */
export const quirksOf = ({ quirks }: { readonly quirks: object }): EmbedQuirks =>
  'form' in quirks ? (quirks as EmbedQuirks) : COMMON_EMBED;
