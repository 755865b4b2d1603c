// How one host of generateContent differs from the full form: a closed, flat record. Hosts fill it in as data; only the
// codecs of this folder read it.

export interface GenerateQuirks {
  /** `id` on function calls and responses is accepted; if not, calls and responses are paired by order. */
  readonly functionIds: boolean;
  /** Tools may be declared in full JSON Schema (`parametersJsonSchema`); if not, in the smaller schema language. */
  readonly jsonSchemaTools: boolean;
  /** `responseJsonSchema` is accepted; if not, `responseSchema` in the smaller language. */
  readonly jsonSchemaOutput: boolean;
  /** Fields of the cloud edition: `audioTimestamp`, `safetySettings[].method`, `imageConfig.imageOutputOptions`. */
  readonly cloudFields: boolean;
  /** `frequencyPenalty` and `presencePenalty` are accepted. */
  readonly penalties: boolean;
  /** `responseLogprobs` and `logprobs` are accepted. */
  readonly logprobs: boolean;
  /** `:countTokens` takes the whole call as `generateContentRequest`; if not, its members. */
  readonly countsWholeCall: boolean;
}

/** Defaults for a host: everything the format has. */
export const COMMON_GENERATE: GenerateQuirks = {
  functionIds: true,
  jsonSchemaTools: true,
  jsonSchemaOutput: true,
  cloudFields: true,
  penalties: true,
  logprobs: true,
  countsWholeCall: true,
};

export const generateQuirks = (own: Partial<GenerateQuirks> = {}): GenerateQuirks => ({ ...COMMON_GENERATE, ...own });

/** The quirks of a target that speaks this dialect. */
export const quirksOf = ({ quirks }: { readonly quirks: object }): GenerateQuirks =>
  'functionIds' in quirks ? (quirks as GenerateQuirks) : COMMON_GENERATE;
