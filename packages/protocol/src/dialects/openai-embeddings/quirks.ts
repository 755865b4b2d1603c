// How one host's embeddings differ from the format's home: a closed, flat record, read by this folder only.

export interface EmbeddingsQuirks {
  /** `encoding_format: base64` is accepted. If false the member is never sent: every host's default is numbers. */
  readonly base64: boolean;
  /** The member for shorter vectors; `none` if not supported. */
  readonly dimensionsField: 'dimensions' | 'output_dimension' | 'none';
  /** Lists of token ids are accepted. */
  readonly tokenInput: boolean;
  /** Maximum number of inputs per call. */
  readonly inputsMax: number;
}

/** Defaults for a host: the common behaviour of compatible servers. */
export const COMMON_EMBEDDINGS: EmbeddingsQuirks = {
  base64: false,
  dimensionsField: 'dimensions',
  tokenInput: true,
  inputsMax: 2048,
};

/** The quirks of a target that speaks this dialect. */
export const quirksOf = ({ quirks }: { readonly quirks: object }): EmbeddingsQuirks =>
  'dimensionsField' in quirks ? (quirks as EmbeddingsQuirks) : COMMON_EMBEDDINGS;
