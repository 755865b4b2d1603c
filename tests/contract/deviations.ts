/** Where bodies differ from the makers' types on purpose, each with its reason. What is not listed here fails the tests. */
import { MEDIA_DEVIATIONS } from './deviations-of-media.ts';

export type Maker = 'OpenAI' | 'Anthropic' | 'Google' | 'Cohere' | 'Voyage';

export type Deviation = {
  readonly maker: Maker;
  /** The type it stands in, as the SDK names it. */
  readonly type: string;
  readonly members: readonly string[];
  /** `extra`: the type lacks them. `absent`: the type requires them. `also`: they take `as`, too. */
  readonly is: 'extra' | 'absent' | 'also';
  readonly as?: object;
  /** Only at hosts of this kind. */
  readonly at?: string;
  readonly why: string;
};

const TEXT = { type: 'string' };
const NULL = { type: 'null' };

/** Hosts of a format leave out what its home has come to say, and the SDKs read undefined as null. */
const NEWER =
  'the newest SDK types it as always present and nullable; hosts leave it out, and SDKs read undefined as null';
const CALLERS_OWN = 'a member of the caller, which passes on the verbatim lane as it came';
const HOSTS_OWN = 'a member of the host, which passes on the verbatim lane as it came';
const THINKING = 'reasoning has no place in the chat format of its maker; hosts and callers agreed on these';
const TURNS = 'callers send back the answer as they got it, and the host takes it; the type of turns lacks it';

const RESPONSES: readonly Deviation[] = [
  { maker: 'OpenAI', type: 'Response', members: ['output_text'], is: 'absent', why: 'the SDK makes it of the output' },
  { maker: 'OpenAI', type: 'Response', members: ['access_programs'], is: 'absent', why: NEWER },
  {
    maker: 'OpenAI',
    type: 'Response',
    members: ['instructions', 'metadata', 'parallel_tool_calls', 'temperature', 'tool_choice', 'tools', 'top_p'],
    is: 'absent',
    why: 'hosts other than the home answer without the settings of the request (R-19); passed on as they are',
  },
  { maker: 'OpenAI', type: 'Response', members: ['error', 'incomplete_details'], is: 'absent', why: NEWER },
  { maker: 'OpenAI', type: 'Response', members: ['store'], is: 'extra', why: 'the home repeats it; the type lacks it' },
  { maker: 'OpenAI', type: 'Response', members: ['user', 'usage'], is: 'also', as: NULL, why: 'null at the home' },
  {
    maker: 'OpenAI',
    type: 'Reasoning',
    members: ['effort'],
    is: 'also',
    as: TEXT,
    why: 'a level that the SDK does not know yet is repeated as the caller gave it',
  },
  {
    maker: 'OpenAI',
    type: 'FunctionTool',
    members: ['strict'],
    is: 'absent',
    why: 'left out by callers, it means strict where possible: kept unsaid, since false would mean something else',
  },
  { maker: 'OpenAI', type: 'ResponseInputImage', members: ['detail'], is: 'absent', why: 'the home takes auto for it' },
  {
    maker: 'OpenAI',
    type: 'EasyInputMessage',
    members: ['content'],
    is: 'also',
    as: {
      type: 'array',
      items: {
        anyOf: [
          { type: 'object', properties: { type: { const: 'output_text' }, text: TEXT }, required: ['type', 'text'] },
          { type: 'object', properties: { type: { const: 'refusal' }, refusal: TEXT }, required: ['type', 'refusal'] },
        ],
      },
    },
    why: 'turns of the assistant without the id and status of an answer: the home takes them, and other formats have none',
  },
  {
    maker: 'OpenAI',
    type: 'ResponseReasoningItem',
    members: ['id'],
    is: 'absent',
    why: 'Codex sends reasoning back without it, and the home takes it: the seal says which item it was',
  },
  {
    maker: 'OpenAI',
    type: 'ResponseReasoningItem',
    members: ['content'],
    is: 'also',
    as: NULL,
    why: 'Codex sends reasoning back so, and the home takes it',
  },
  { maker: 'OpenAI', type: 'EasyInputMessage', members: ['id', 'status'], is: 'extra', as: TEXT, why: TURNS },
  {
    maker: 'OpenAI',
    type: 'ResponseCustomToolCall',
    members: ['status'],
    is: 'extra',
    as: TEXT,
    why: 'the home sends it with every item; the type has it in lists of items only',
  },
  {
    maker: 'OpenAI',
    type: 'ResponseFunctionWebSearch',
    members: ['action'],
    is: 'absent',
    why: 'an item that has only begun: the home names the action when it is done',
  },
  {
    maker: 'OpenAI',
    type: 'ResponseOutputItem.ImageGenerationCall',
    members: ['result'],
    is: 'absent',
    why: 'an item that has only begun has no picture',
  },
  {
    maker: 'OpenAI',
    type: 'ResponseErrorEvent',
    members: ['error'],
    is: 'extra',
    why: 'what SDKs throw is read from this member, the others are what the type says: both are sent',
  },
  ...['ResponseTextDeltaEvent', 'ResponseTextDoneEvent'].flatMap((type): Deviation[] => [
    { maker: 'OpenAI', type, members: ['logprobs'], is: 'absent', why: HOSTS_OWN },
    { maker: 'OpenAI', type: `${type}.Logprob`, members: ['bytes'], is: 'extra', why: 'in the item it is typed' },
    {
      maker: 'OpenAI',
      type: `${type}.Logprob.TopLogprob`,
      members: ['bytes'],
      is: 'extra',
      why: 'in the item it is typed, and the events should add up to it',
    },
  ]),
  {
    maker: 'OpenAI',
    type: 'ResponseUsage.InputTokensDetails',
    members: ['cache_write_tokens'],
    is: 'absent',
    why: NEWER,
  },
];

/** Counts in text, or without their parts: what is charged then is judged by other tests. */
const ODD_COUNTS = 'a host that counts in its own way, on the verbatim lane';

const ODD_USAGE: readonly Deviation[] = [
  {
    maker: 'OpenAI',
    type: 'ResponseUsage',
    members: ['input_tokens_details', 'output_tokens_details'],
    is: 'absent',
    why: ODD_COUNTS,
  },
  {
    maker: 'OpenAI',
    type: 'ResponseUsage',
    members: ['input_tokens', 'output_tokens', 'total_tokens'],
    is: 'also',
    as: TEXT,
    why: ODD_COUNTS,
  },
  {
    maker: 'Google',
    type: 'GenerateContentResponseUsageMetadata',
    members: ['candidatesTokenCount'],
    is: 'also',
    as: TEXT,
    why: ODD_COUNTS,
  },
  {
    maker: 'OpenAI',
    type: 'Response',
    members: ['tools'],
    is: 'also',
    as: { type: 'array', items: { type: 'object', required: ['type'] } },
    why: 'the tools of the request are repeated in the answer as the caller gave them',
  },
];

const CHAT: readonly Deviation[] = [
  { maker: 'OpenAI', type: 'ChatCompletion', members: ['system_fingerprint'], is: 'also', as: NULL, why: 'CR-01' },
  { maker: 'OpenAI', type: 'ChatCompletion.Choice', members: ['logprobs'], is: 'absent', why: HOSTS_OWN },
  { maker: 'OpenAI', type: 'ChatCompletion.Choice', members: ['usage'], is: 'extra', why: HOSTS_OWN },
  ...['ChatCompletion', 'ChatCompletionChunk'].map(
    (type): Deviation => ({ maker: 'OpenAI', type, members: ['x_groq'], is: 'extra', why: HOSTS_OWN }),
  ),
  ...['ChatCompletionMessage', 'ChatCompletionChunk.Choice.Delta'].flatMap((type): Deviation[] => [
    {
      maker: 'OpenAI',
      type,
      members: ['reasoning', 'reasoning_content', 'reasoning_details'],
      is: 'extra',
      why: THINKING,
    },
    {
      maker: 'OpenAI',
      type,
      members: ['images'],
      is: 'extra',
      why: 'pictures beside text, as hosts of the format give them',
    },
  ]),
  {
    maker: 'OpenAI',
    type: 'ChatCompletionChunk.Choice.Delta',
    members: ['annotations'],
    is: 'extra',
    why: 'the home streams them; the type has them in whole answers only',
  },
  {
    maker: 'OpenAI',
    type: 'ChatCompletionChunk.Choice.Delta',
    members: ['tool_calls'],
    is: 'also',
    as: NULL,
    why: HOSTS_OWN,
  },
  {
    maker: 'OpenAI',
    type: 'CompletionUsage',
    members: ['cost'],
    is: 'extra',
    why: 'what the call cost, for callers who ask (docs/operate/prices.md)',
  },
  {
    maker: 'OpenAI',
    type: 'CompletionUsage',
    members: [
      'cached_tokens',
      'prompt_cache_hit_tokens',
      'prompt_cache_miss_tokens',
      'queue_time',
      'prompt_time',
      'completion_time',
      'total_time',
    ],
    is: 'extra',
    why: HOSTS_OWN,
  },
  {
    maker: 'OpenAI',
    type: 'CompletionUsage',
    members: ['completion_tokens_details', 'prompt_tokens_details'],
    is: 'also',
    as: NULL,
    why: HOSTS_OWN,
  },
  {
    maker: 'OpenAI',
    type: 'CompletionUsage',
    members: ['completion_tokens'],
    is: 'also',
    as: TEXT,
    why: 'a host that counts in text, on the verbatim lane; what is charged is judged elsewhere',
  },
  {
    maker: 'OpenAI',
    type: 'CompletionUsage.PromptTokensDetails',
    members: ['cache_creation_input_tokens'],
    is: 'extra',
    why: HOSTS_OWN,
  },
  { maker: 'OpenAI', type: 'ChatCompletionAssistantMessageParam', members: ['annotations'], is: 'extra', why: TURNS },
  {
    maker: 'OpenAI',
    type: 'ChatCompletionAssistantMessageParam',
    members: ['reasoning', 'reasoning_content', 'reasoning_details'],
    is: 'extra',
    at: 'compatible',
    why: THINKING,
  },
  {
    maker: 'OpenAI',
    type: 'ChatCompletionToolMessageParam',
    members: ['name'],
    is: 'extra',
    as: TEXT,
    why: 'older than the type, and taken by the home: 39 of 39 recorded requests',
  },
  {
    maker: 'OpenAI',
    type: 'ChatCompletionContentPartText',
    members: ['cache_control'],
    is: 'extra',
    at: 'compatible',
    why: 'hosts that cache by mark take the mark of messages here',
  },
  {
    maker: 'OpenAI',
    type: 'ChatRequest',
    members: [
      'enable_thinking',
      'thinking',
      'thinking_budget',
      'top_k',
      'continue_final_message',
      'add_generation_prompt',
    ],
    is: 'extra',
    at: 'compatible',
    why: 'what hosts of the format added, written where their quirks say so',
  },
  {
    maker: 'OpenAI',
    type: 'ChatRequest',
    members: ['foo', 'nested', 'odd', 'odd key', 'x', 'y'],
    is: 'extra',
    at: 'compatible',
    why: `${CALLERS_OWN} (C-60)`,
  },
  {
    maker: 'OpenAI',
    type: 'EmbeddingCreateParams',
    members: ['truncate_prompt_tokens'],
    is: 'extra',
    at: 'compatible',
    why: CALLERS_OWN,
  },
  {
    maker: 'OpenAI',
    type: 'Embedding',
    members: ['embedding'],
    is: 'also',
    as: TEXT,
    why: 'base64, for callers who ask for it; the SDK decodes it before it hands it on',
  },
];

const IMAGES: readonly Deviation[] = [
  {
    maker: 'OpenAI',
    type: 'ImagesResponse',
    members: ['background', 'quality'],
    is: 'also',
    as: { const: 'auto' },
    why: 'IS-23: the host did not say what it chose',
  },
  { maker: 'OpenAI', type: 'ImageGenCompletedEvent', members: ['usage'], is: 'absent', why: 'IS-28: given where due' },
  {
    maker: 'OpenAI',
    type: 'ImagesRequest',
    members: ['sequential_image_generation', 'sequential_image_generation_options', 'image'],
    is: 'extra',
    at: 'ark',
    why: 'a format of its own that begins like this one',
  },
  {
    maker: 'OpenAI',
    type: 'ImagesRequest',
    members: ['aspect_ratio'],
    is: 'extra',
    at: 'xai',
    why: 'in place of a size',
  },
];

const MESSAGES: readonly Deviation[] = [
  ...(
    [
      ['BetaMessage', ['container', 'context_management', 'diagnostics', 'stop_details']],
      ['BetaUsage', ['fallback_credit', 'inference_geo', 'iterations', 'output_tokens_details', 'speed']],
      ['BetaMessageDeltaUsage', ['fallback_credit', 'iterations', 'output_tokens_details']],
      ['BetaMessageTokensCount', ['context_management']],
      ['BetaRawMessageDeltaEvent', ['context_management']],
      ['BetaRawMessageDeltaEvent.Delta', ['container', 'stop_details']],
      ['BetaRefusalStopDetails', ['fallback_credit_token', 'fallback_has_prefill_claim', 'recommended_model']],
      ['BetaServerToolUsage', ['web_fetch_requests']],
      ['BetaTextBlock', ['citations']],
      ['BetaThinkingDelta', ['estimated_tokens']],
      ['BetaErrorResponse', ['request_id']],
    ] as const
  ).map(([type, members]): Deviation => ({ maker: 'Anthropic', type, members, is: 'absent', why: NEWER })),
  {
    maker: 'Anthropic',
    type: 'BetaInvalidRequestError',
    members: ['details'],
    is: 'extra',
    why: 'a refused thread; the SDK reads its code (ThreadUnsupportedRequestErrorDetails), the type of errors lacks it',
  },
  { maker: 'Anthropic', type: 'BetaRawMessageDeltaEvent.Delta', members: ['usage'], is: 'extra', why: 'MS-16' },
  {
    maker: 'Anthropic',
    type: 'BetaMessageDeltaUsage',
    members: ['cache_creation', 'service_tier'],
    is: 'extra',
    why: 'MS-17: the usage at the end is whole, as in an answer that is not streamed',
  },
  {
    maker: 'Anthropic',
    type: 'BetaErrorResponse',
    members: ['error'],
    is: 'also',
    as: {
      type: 'object',
      properties: { type: { const: 'request_too_large' }, message: TEXT },
      required: ['type', 'message'],
      additionalProperties: false,
    },
    why: 'documented by the maker for 413; the SDK knows it by its status',
  },
  ...['BetaWebSearchToolResultError', 'BetaWebSearchToolRequestError'].map(
    (type): Deviation => ({
      maker: 'Anthropic',
      type,
      members: ['error_code'],
      is: 'also',
      as: { const: 'invalid_input' },
      why: 'M-53: the word of the specification for what the type calls invalid_tool_input',
    }),
  ),
  {
    maker: 'Anthropic',
    type: 'BetaCitationCharLocationParam',
    members: ['file_id'],
    is: 'extra',
    as: { type: ['string', 'null'] },
    why: TURNS,
  },
  {
    maker: 'Anthropic',
    type: 'MessagesRequest',
    members: ['temperature', 'top_k', 'top_p'],
    is: 'extra',
    as: { type: 'number' },
    why: 'the newest models have no such settings, and the newest SDK no such members; the older models of the catalogue do',
  },
  {
    maker: 'Anthropic',
    type: 'MessagesRequest',
    members: ['foo'],
    is: 'extra',
    at: 'messages-compatible',
    why: `${CALLERS_OWN} (M-25)`,
  },
];

const GENERATE: readonly Deviation[] = [
  {
    maker: 'Google',
    type: 'Candidate',
    members: ['finishReason'],
    is: 'also',
    as: { type: 'string', pattern: '^FINISH_REASON_[A-Z_]+$' },
    why: 'GR-03: prefixed for plain callers',
  },
  {
    maker: 'Google',
    type: 'Schema',
    members: ['type'],
    is: 'also',
    as: { enum: ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] },
    why: 'the host takes either case, and callers write both',
  },
  {
    maker: 'Google',
    type: 'Schema',
    members: ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
    is: 'also',
    as: { type: 'integer' },
    why: 'JSON of 64-bit numbers: hosts take text and number',
  },
  {
    maker: 'Google',
    type: 'ThinkingConfig',
    members: ['thinkingLevel'],
    is: 'also',
    as: { enum: ['minimal', 'low', 'medium', 'high'] },
    why: 'the host takes either case, and the AI SDK writes lower case',
  },
  {
    maker: 'Google',
    type: 'GenerateConfig',
    members: ['mediaResolution'],
    is: 'also',
    as: { const: 'MEDIA_RESOLUTION_ULTRA_HIGH' },
    why: 'G-77: the specification has it for the whole request, the type for parts only',
  },
  {
    maker: 'Google',
    type: 'ReplicatedVoiceConfig',
    members: ['voiceSample'],
    is: 'extra',
    as: TEXT,
    why: 'G-82: the name of the specification for what the type calls voiceSampleAudio',
  },
];

export const DEVIATIONS: readonly Deviation[] = [
  ...RESPONSES,
  ...ODD_USAGE,
  ...CHAT,
  ...IMAGES,
  ...MESSAGES,
  ...GENERATE,
  ...MEDIA_DEVIATIONS,
];
