// How one host's chat completions differ from the format's home: a closed, flat record. Hosts fill it in as data; only
// the codecs of this folder read it. A difference that needs a loop is a dialect, not a quirk.

export interface ChatQuirks {
  /** The member for the output token limit. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Role of instructions; `as-given` keeps the caller's choice between system and developer. */
  readonly systemRole: 'system' | 'developer' | 'as-given';
  /** May there be several system messages? If not, they are merged into the first. */
  readonly multipleSystem: boolean;
  /** `name` on messages is accepted. */
  readonly messageNames: boolean;
  /**
   * How to make a host continue a last assistant message: `prefix` or `partial`, a member of that message ·
   * `continue-final` continue_final_message and no add_generation_prompt · `none` not supported.
   */
  readonly prefillWrite: 'prefix' | 'partial' | 'continue-final' | 'none';
  /** The member for the seed; `none` if not supported. */
  readonly seedField: 'seed' | 'random_seed' | 'none';
  /** The member for top-k; the home format has none. */
  readonly topKField: 'top_k' | 'none';
  /** `frequency_penalty` and `presence_penalty` are accepted. */
  readonly penalties: boolean;
  /** Maximum number of stop sequences; 0 if `stop` is refused. */
  readonly stopMax: number;
  /** Highest temperature accepted; a higher one is clamped to it. */
  readonly temperatureMax: number;
  /** `logprobs` and `top_logprobs` are accepted. */
  readonly logprobs: boolean;
  /** `logit_bias` is accepted; its token ids are meaningless to other vendors' models. */
  readonly logitBias: boolean;
  /** `verbosity` is accepted. */
  readonly verbosity: boolean;
  /** `web_search_options` makes the host search the web. */
  readonly webSearchOptions: boolean;
  /** Free-form tools (`type: custom`) are accepted. */
  readonly customTools: boolean;
  /** Members that reasoning models refuse on this host. */
  readonly thinkingModelsRefuse: readonly string[];

  /** `tools: []` is accepted; if false, an empty list is left out. */
  readonly toolsEmptyOk: boolean;
  /** `strict` inside a function declaration is accepted. */
  readonly strictTools: boolean;
  /** The value for "call any tool"; `none` if not supported. */
  readonly toolChoiceAny: 'required' | 'any' | 'none';
  /** A tool choice that names one function is accepted. */
  readonly toolChoiceNamed: boolean;
  /** `parallel_tool_calls` is accepted. */
  readonly parallelToolCallsField: boolean;
  /** Required length of tool call ids (letters and digits only); 0 for any. */
  readonly toolCallIdLength: number;
  /** `tool_stream: true` is required for streaming tool arguments. */
  readonly toolStreamSwitch: boolean;
  /** Strictest `response_format`: a JSON schema, any JSON object, or neither. */
  readonly jsonMode: 'schema' | 'object' | 'none';

  /**
   * How to request reasoning:
   * `effort` reasoning_effort · `effort-parsed` the same plus reasoning_format "parsed" ·
   * `effort-object` reasoning {effort, max_tokens} · `enabled-object` reasoning {enabled} ·
   * `thinking-type` thinking {type: enabled | disabled} · `enable-thinking` enable_thinking and thinking_budget ·
   * `template` chat_template_kwargs {enable_thinking} · `none` not supported.
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
  /** Where answers contain reasoning, first match wins; `thinking-parts` are content parts, sent back as such. */
  readonly reasoningRead: readonly ('reasoning_content' | 'reasoning' | 'reasoning_details' | 'thinking-parts')[];
  /** Whether earlier reasoning must be sent back with tool calls, may be, or is refused. */
  readonly reasoningReplay: 'required' | 'optional' | 'forbidden';

  /** The older `/completions` is there as well: prompts go to it as they are. */
  readonly completions: boolean;
  /** Usage at the end of a stream: after `stream_options.include_usage`, always, or never. */
  readonly streamUsage: 'on-request' | 'always' | 'never';
  /** Where a stream contains usage: the chunk, its choice, or inside `usageVendorField` of the chunk. */
  readonly usageAt: 'chunk' | 'choice' | 'vendor';
  /** The chunk member that wraps `usage` if `usageAt` is `vendor`; else empty. */
  readonly usageVendorField: string;
  /** Members of usage that count cached prompt tokens, as dotted paths, first match wins. */
  readonly cachedTokensAt: readonly string[];
  /** Reasoning tokens are not included in `completion_tokens`. */
  readonly reasoningOutsideCompletion: boolean;
  /** The output limit does not include reasoning, so a reasoning answer may use more tokens. */
  readonly reasoningBesideCap: boolean;
  /** Random padding in stream chunks can be switched off, and is (`stream_options.include_obfuscation: false`). */
  readonly obfuscationOff: boolean;
}

/** Defaults for a host: the common behaviour of chat-compatible servers. */
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
  completions: false,
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

/** The quirks of a target that speaks this dialect. */
export const quirksOf = ({ quirks }: { readonly quirks: object }): ChatQuirks =>
  'maxTokensField' in quirks ? (quirks as ChatQuirks) : COMMON_CHAT;
