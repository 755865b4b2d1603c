// How one host's embeddings differ from the format's home: a closed, flat record, read by this folder only.

export interface EmbeddingsQuirks {
  /** `encoding_format: base64` is understood. When false the member is never sent: numbers are everybody's default. */
  readonly base64: boolean;
  /** The member that asks for shorter vectors; `none` when there is no such thing. */
  readonly dimensionsField: 'dimensions' | 'output_dimension' | 'none';
  /** Lists of token ids are understood. */
  readonly tokenInput: boolean;
  /** Most inputs in one call. */
  readonly inputsMax: number;
}

/** What a host gets that says nothing: the widest common ground of compatible servers. */
export const COMMON_EMBEDDINGS: EmbeddingsQuirks = {
  base64: false,
  dimensionsField: 'dimensions',
  tokenInput: true,
  inputsMax: 2048,
};

const isEmbeddingsQuirks = (quirks: object): quirks is EmbeddingsQuirks => 'dimensionsField' in quirks;

/** The quirks of a target that speaks this dialect. */
export const quirksOf = (target: { readonly quirks: object }): EmbeddingsQuirks =>
  isEmbeddingsQuirks(target.quirks) ? target.quirks : COMMON_EMBEDDINGS;
