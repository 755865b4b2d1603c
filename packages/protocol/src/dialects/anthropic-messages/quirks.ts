// How one host's messages API differs from the format's home: a closed, flat record. Hosts fill it in as data; only the
// codecs of this folder read it.

export interface MessagesQuirks {
  /** Strictest way to bind an answer to a schema: `output_config.format`, a forced tool, or an instruction. */
  readonly messagesOutput: 'native' | 'tool' | 'instruction';
  /** A last assistant message is continued (prefill). */
  readonly prefill: boolean;
  /** Messages of role `system` are accepted within the conversation. */
  readonly systemTurns: boolean;
  /** The host runs `web_search_20250305` itself. */
  readonly webSearch: boolean;
  /** The host runs `web_fetch_*` itself, and `web_search_*` from 20260209 on, which filters what it found. */
  readonly webFetch: boolean;
  /** `tool_search_tool_*`, `defer_loading` on tools and `tool_reference` in results are accepted. */
  readonly toolSearch: boolean;
  /** Tools are searched by BM25 as well, not only by regular expressions. */
  readonly toolSearchBm25: boolean;
  /** The beta under which tools are searched, added to requests that need it; empty if none has to be added. */
  readonly toolSearchBeta: string;
  /** `bash`, the text editor and the memory are accepted by their types. */
  readonly clientTools: boolean;
  /** `document` blocks are accepted. */
  readonly documents: boolean;
  /** `search_result` blocks are accepted. */
  readonly searchResults: boolean;
  /** The host fetches images and documents by URL. */
  readonly fetchesUrls: boolean;
  /** Maximum number of `cache_control` marks; 0 if they are not supported. */
  readonly cacheMarks: number;
  /** `output_config.effort` is accepted. */
  readonly effort: boolean;
  /** `strict` on a tool is accepted. */
  readonly strictTools: boolean;
  /** `top_k` is accepted. */
  readonly topK: boolean;
  /** `temperature` and `top_p` may be given together. */
  readonly temperatureWithTopP: boolean;
  /** `tool_choice` of type `none` is accepted. */
  readonly toolChoiceNone: boolean;
  /** The version, if it is a member of the body and the path names the model; empty if the body names the model. */
  readonly bodyVersion: string;
  /** `stream` is a member of the body; if not, the path selects streaming. */
  readonly streamMember: boolean;
  /** Betas are also sent in the body (`anthropic_beta`). */
  readonly bodyBetas: boolean;
}

/** The format's home, which compatible hosts follow more or less. */
export const COMMON_MESSAGES: MessagesQuirks = {
  messagesOutput: 'native',
  prefill: true,
  systemTurns: false,
  webSearch: true,
  webFetch: true,
  toolSearch: true,
  toolSearchBm25: true,
  toolSearchBeta: '',
  clientTools: true,
  documents: true,
  searchResults: true,
  fetchesUrls: true,
  cacheMarks: 4,
  effort: true,
  strictTools: true,
  topK: true,
  temperatureWithTopP: false,
  toolChoiceNone: true,
  bodyVersion: '',
  streamMember: true,
  bodyBetas: false,
};

export const messagesQuirks = (own: Partial<MessagesQuirks> = {}): MessagesQuirks => ({ ...COMMON_MESSAGES, ...own });

/** The quirks of a target that speaks this dialect. */
export const quirksOf = ({ quirks }: { readonly quirks: object }): MessagesQuirks =>
  'messagesOutput' in quirks ? (quirks as MessagesQuirks) : COMMON_MESSAGES;
