// How one host's Responses API differs from the format's home: a closed, flat record. Hosts fill it in as data; only
// the codecs of this folder read it.

export interface ResponsesQuirks {
  /** Where instructions go: the member of that name, or messages of role developer or system. */
  readonly instructionsAs: 'instructions' | 'developer' | 'system';
  /** Role of instructions in the middle of a conversation. */
  readonly instructionRole: 'developer' | 'system';
  /** Encrypted reasoning can be requested and sent back. */
  readonly encryptedReasoning: boolean;
  /** `reasoning.summary` is accepted. */
  readonly reasoningSummary: boolean;
  /** `text.verbosity` is accepted. */
  readonly textVerbosity: boolean;
  /** Log probabilities can be requested. */
  readonly outputLogprobs: boolean;
  /** Free-form tools are accepted. */
  readonly freeFormTools: boolean;
  /** The host searches the web itself. */
  readonly webSearchTool: boolean;
  /** `strict` on a function is accepted. */
  readonly strictFunctions: boolean;
  /** The host fetches documents by URL. */
  readonly fileUrls: boolean;
  /** Tool results may contain images and files, not only text. */
  readonly richToolOutput: boolean;
  /** `max_tool_calls`, `truncation`, `prompt_cache_key` and other members of the home are accepted. */
  readonly homeMembers: boolean;
  /** Smallest `max_output_tokens` the host accepts. */
  readonly minOutputTokens: number;
  /** Random padding in stream frames can be switched off, and is. */
  readonly obfuscationOff: boolean;
  /** Reasoning tokens are not included in `output_tokens`. */
  readonly reasoningOutsideOutput: boolean;
}

/** The format's home, which compatible hosts follow more or less. */
export const COMMON_RESPONSES: ResponsesQuirks = {
  instructionsAs: 'instructions',
  instructionRole: 'developer',
  encryptedReasoning: true,
  reasoningSummary: true,
  textVerbosity: true,
  outputLogprobs: true,
  freeFormTools: true,
  webSearchTool: true,
  strictFunctions: true,
  fileUrls: true,
  richToolOutput: true,
  homeMembers: true,
  minOutputTokens: 16,
  obfuscationOff: true,
  reasoningOutsideOutput: false,
};

export const responsesQuirks = (own: Partial<ResponsesQuirks> = {}): ResponsesQuirks => ({
  ...COMMON_RESPONSES,
  ...own,
});

/** The quirks of a target that speaks this dialect. */
export const quirksOf = ({ quirks }: { readonly quirks: object }): ResponsesQuirks =>
  'instructionsAs' in quirks ? (quirks as ResponsesQuirks) : COMMON_RESPONSES;
