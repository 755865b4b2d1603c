// How one host's messages API differs from the format's home: a closed, flat record. Hosts fill it in as data; the codecs
// of this folder are its only readers.

export interface MessagesQuirks {
  /** Strongest way to bind an answer to a schema: `output_config.format`, a forced tool, or words. */
  readonly messagesOutput: 'native' | 'tool' | 'instruction';
  /** A last assistant message is continued. */
  readonly prefill: boolean;
  /** Messages of role `system` are understood where they stand. */
  readonly systemTurns: boolean;
  /** The host runs `web_search_20250305` itself. */
  readonly webSearch: boolean;
  /** `bash` and the text editor are known by their types. */
  readonly clientTools: boolean;
  /** `document` blocks are understood. */
  readonly documents: boolean;
  /** `search_result` blocks are understood. */
  readonly searchResults: boolean;
  /** The host fetches images and documents by URL. */
  readonly fetchesUrls: boolean;
  /** `cache_control` marks are understood; 0 when not, else the most the host takes. */
  readonly cacheMarks: number;
  /** `output_config.effort` is understood. */
  readonly effort: boolean;
  /** `strict` on a tool is understood. */
  readonly strictTools: boolean;
  /** `top_k` is understood. */
  readonly topK: boolean;
  /** `temperature` and `top_p` may be given together. */
  readonly temperatureWithTopP: boolean;
  /** `tool_choice` of type `none` is understood. */
  readonly toolChoiceNone: boolean;
  /** The version where it is a member of the body and the path names the model; empty where the body names the model. */
  readonly bodyVersion: string;
  /** `stream` is a member of the body; where not, the path says it. */
  readonly streamMember: boolean;
  /** Betas are named in the body (`anthropic_beta`), too. */
  readonly bodyBetas: boolean;
}

/** The format's home, which compatible hosts follow more or less. */
export const COMMON_MESSAGES: MessagesQuirks = {
  messagesOutput: 'native',
  prefill: true,
  systemTurns: false,
  webSearch: true,
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

const isMessagesQuirks = (quirks: object): quirks is MessagesQuirks => 'messagesOutput' in quirks;

/** The quirks of a target that speaks this dialect. */
export const quirksOf = (target: { readonly quirks: object }): MessagesQuirks =>
  isMessagesQuirks(target.quirks) ? target.quirks : COMMON_MESSAGES;
