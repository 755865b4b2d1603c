// How one host's chat completions differ from the format's home: a closed, flat record. Hosts fill it in as data;
// the codecs of this folder are its only readers. A difference that needs a loop is a dialect, not a quirk.

export interface ChatQuirks {
  /** The member that caps the answer's tokens. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Role of instructions; `as-given` keeps the caller's choice between system and developer. */
  readonly systemRole: 'system' | 'developer' | 'as-given';
  /** May instructions stand in more than one message? If not, they are joined into the first. */
  readonly multipleSystem: boolean;
  /** `name` on messages is understood. */
  readonly messageNames: boolean;
  /**
   * How a host is told to go on from a last message of the assistant's: `prefix` or `partial`, a member of that message ·
   * `continue-final` continue_final_message and no add_generation_prompt · `none` it cannot.
   */
  readonly prefillWrite: 'prefix' | 'partial' | 'continue-final' | 'none';
  /** The member that carries a seed; `none` when there is no such thing. */
  readonly seedField: 'seed' | 'random_seed' | 'none';
  /** The member that carries top-k; the home format has none. */
  readonly topKField: 'top_k' | 'none';
  /** `frequency_penalty` and `presence_penalty` are accepted. */
  readonly penalties: boolean;
  /** Most stop sequences accepted; 0 when `stop` is refused. */
  readonly stopMax: number;
  /** Highest temperature accepted; a higher one is lowered to it. */
  readonly temperatureMax: number;
  /** `logprobs` and `top_logprobs` are accepted. */
  readonly logprobs: boolean;
  /** `logit_bias` is accepted; its token ids mean nothing to other makers' models. */
  readonly logitBias: boolean;
  /** `verbosity` is accepted. */
  readonly verbosity: boolean;
  /** `web_search_options` makes the host search the web. */
  readonly webSearchOptions: boolean;
  /** Free-form tools (`type: custom`) are accepted. */
  readonly customTools: boolean;
  /** Members that models which think refuse on this host. */
  readonly thinkingModelsRefuse: readonly string[];

  /** `tools: []` is accepted; when false an empty list is left out. */
  readonly toolsEmptyOk: boolean;
  /** `strict` inside a function declaration is accepted. */
  readonly strictTools: boolean;
  /** How "call some tool" is spelled; `none` when it cannot be asked for. */
  readonly toolChoiceAny: 'required' | 'any' | 'none';
  /** A choice naming one function is accepted. */
  readonly toolChoiceNamed: boolean;
  /** `parallel_tool_calls` is accepted. */
  readonly parallelToolCallsField: boolean;
  /** Exact length of tool call ids when the host insists on one (letters and digits only); 0 for any. */
  readonly toolCallIdLength: number;
  /** `tool_stream: true` is needed before arguments arrive in pieces. */
  readonly toolStreamSwitch: boolean;
  /** Strongest `response_format`: a JSON schema, any JSON object, or neither. */
  readonly jsonMode: 'schema' | 'object' | 'none';

  /**
   * How thinking is asked for:
   * `effort` reasoning_effort · `effort-parsed` the same plus reasoning_format "parsed" ·
   * `effort-object` reasoning {effort, max_tokens} · `enabled-object` reasoning {enabled} ·
   * `thinking-type` thinking {type: enabled | disabled} · `enable-thinking` enable_thinking and thinking_budget ·
   * `template` chat_template_kwargs {enable_thinking} · `none` it cannot be asked for.
   */
  readonly reasoningWrite:
    | 'effort'
    | 'effort-parsed'
    | 'effort-object'
    | 'enabled-object'
    | 'thinking-type'
    | 'enable-thinking'
    | 'template'
    | 'none';
  /** Where thinking is found in answers, first match wins; `thinking-parts` are content parts, sent back as such. */
  readonly reasoningRead: readonly ('reasoning_content' | 'reasoning' | 'reasoning_details' | 'thinking-parts')[];
  /** Must earlier thinking be sent back beside tool calls, may it, or is it refused? */
  readonly reasoningReplay: 'required' | 'optional' | 'forbidden';

  /** Usage at the end of a stream: after `stream_options.include_usage`, in any case, or not at all. */
  readonly streamUsage: 'on-request' | 'always' | 'never';
  /** Where usage stands in a stream: the chunk, its choice, or inside `usageVendorField` of the chunk. */
  readonly usageAt: 'chunk' | 'choice' | 'vendor';
  /** The chunk member that wraps `usage` when `usageAt` is `vendor`; empty otherwise. */
  readonly usageVendorField: string;
  /** Members of usage that count cached prompt tokens, as dotted paths, first match wins. */
  readonly cachedTokensAt: readonly string[];
  /** Reasoning tokens are counted beside `completion_tokens` instead of inside it. */
  readonly reasoningOutsideCompletion: boolean;
  /** The cap on output leaves reasoning out, so that an answer that thinks may count more tokens than it. */
  readonly reasoningBesideCap: boolean;
  /** Random padding in stream chunks can be, and is, switched off (`stream_options.include_obfuscation: false`). */
  readonly obfuscationOff: boolean;
}

/** What a host gets that says nothing: the widest common ground of chat-compatible servers. */
export const COMMON_CHAT: ChatQuirks = {
  maxTokensField: 'max_tokens',
  systemRole: 'system',
  multipleSystem: true,
  messageNames: true,
  prefillWrite: 'none',
  seedField: 'seed',
  topKField: 'none',
  penalties: true,
  stopMax: 4,
  temperatureMax: 2,
  logprobs: true,
  logitBias: false,
  verbosity: false,
  webSearchOptions: false,
  customTools: false,
  thinkingModelsRefuse: [],
  toolsEmptyOk: false,
  strictTools: true,
  toolChoiceAny: 'required',
  toolChoiceNamed: true,
  parallelToolCallsField: true,
  toolCallIdLength: 0,
  toolStreamSwitch: false,
  jsonMode: 'schema',
  reasoningWrite: 'effort',
  reasoningRead: ['reasoning_content', 'reasoning'],
  reasoningReplay: 'optional',
  streamUsage: 'on-request',
  usageAt: 'chunk',
  usageVendorField: '',
  cachedTokensAt: ['prompt_tokens_details.cached_tokens'],
  reasoningOutsideCompletion: false,
  reasoningBesideCap: false,
  obfuscationOff: false,
};

export const chatQuirks = (own: Partial<ChatQuirks> = {}): ChatQuirks => ({ ...COMMON_CHAT, ...own });

const isChatQuirks = (quirks: object): quirks is ChatQuirks => 'maxTokensField' in quirks;

/** The quirks of a target that speaks this dialect. */
export const quirksOf = (target: { readonly quirks: object }): ChatQuirks =>
  isChatQuirks(target.quirks) ? target.quirks : COMMON_CHAT;
