// `providers.<id>.quirks`: how an own host differs from the common subset of its format. The compiler keeps
// these lists and the dialects' own in step.

import type {
  ChatQuirks,
  CohereRerankQuirks,
  EmbeddingsQuirks,
  EmbedQuirks,
  GenerateQuirks,
  ImagesQuirks,
  MessagesQuirks,
  ResponsesQuirks,
  SpeechQuirks,
  TranscriptionQuirks,
} from '@trivium/protocol/dialects';
import Type, { type Static, type TSchema } from 'typebox';
import type { CustomDialect } from '../../models/providers/custom.ts';
import type { Quirks } from '../../models/providers/provider.ts';

/** Schema helpers for the quirks of some formats: each description begins with the formats it applies to. */
const quirkKinds = (formats: string) => {
  const described = (description: string) => ({ description: `${formats}: ${description}` });
  return {
    flag: (description: string) => Type.Optional(Type.Boolean(described(description))),
    choice: <V extends string[]>(values: readonly [...V], description: string) =>
      Type.Optional(Type.Enum<V>(values, described(description))),
    choices: <V extends string[]>(values: readonly [...V], description: string) =>
      Type.Optional(Type.Array(Type.Enum<V>(values), { maxItems: values.length, ...described(description) })),
    names: (description: string) =>
      Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 32, ...described(description) }),
      ),
    text: (description: string) => Type.Optional(Type.String({ maxLength: 100, ...described(description) })),
    amount: (maximum: number, description: string) =>
      Type.Optional(Type.Integer({ minimum: 0, maximum, ...described(description) })),
    number: (maximum: number, description: string) =>
      Type.Optional(Type.Number({ minimum: 0, maximum, ...described(description) })),
  };
};

type QuirkProperties<Q> = Record<keyof Q, TSchema>;

const chatAndMessages = quirkKinds('`openai-chat`, `anthropic-messages`');
const chatAndGenerate = quirkKinds('`openai-chat`, `google-generate`');
const chatAndResponses = quirkKinds('`openai-chat`, `openai-responses`');
const { flag, choice, choices, names, text, amount, number } = quirkKinds('`openai-chat`');
const messages = quirkKinds('`anthropic-messages`');
const generate = quirkKinds('`google-generate`');
const responses = quirkKinds('`openai-responses`');
const embeddings = quirkKinds('`openai-embeddings`');
const reranking = quirkKinds('`cohere-rerank`');
const images = quirkKinds('`openai-images`');
const speech = quirkKinds('`openai-speech`');
const transcription = quirkKinds('`openai-transcription`');
const bothEmbeddings = quirkKinds('`openai-embeddings`, `google-embed`');

const strictTools = chatAndMessages.flag('`strict` inside a tool declaration is accepted.');
const penalties = chatAndGenerate.flag('Frequency and presence penalties are accepted.');
const logprobs = chatAndGenerate.flag('Log probabilities can be requested.');
const obfuscationOff = chatAndResponses.flag('Random padding in stream chunks can be switched off.');

const chatProperties = {
  maxTokensField: choice(['max_tokens', 'max_completion_tokens'], "Member that caps the answer's tokens."),
  systemRole: choice(['system', 'developer', 'as-given'], 'Role of instructions.'),
  multipleSystem: flag('Instructions may be in more than one message.'),
  messageNames: flag('`name` on messages is understood.'),
  completions: flag('Has the older `/completions` as well, and gets prompts there as they are.'),
  prefillWrite: choice(
    ['prefix', 'partial', 'continue-final', 'none'],
    "How a last message of the assistant's is continued.",
  ),
  seedField: choice(['seed', 'random_seed', 'none'], 'Member that carries a seed.'),
  topKField: choice(['top_k', 'none'], 'Member that carries top-k.'),
  stopMax: amount(64, 'Most stop sequences accepted; 0 when `stop` is refused.'),
  temperatureMax: number(10, 'Highest temperature accepted; a higher one is lowered.'),
  logitBias: flag('`logit_bias` is accepted.'),
  verbosity: flag('`verbosity` is accepted.'),
  webSearchOptions: flag('`web_search_options` makes the host search the web.'),
  customTools: flag('Free-form tools are accepted.'),
  thinkingModelsRefuse: names('Members that models which think refuse on this host.'),
  toolsEmptyOk: flag('An empty list of tools is accepted.'),
  toolChoiceAny: choice(['required', 'any', 'none'], 'How "call some tool" is spelled.'),
  toolChoiceNamed: flag('A tool choice naming one function is accepted.'),
  parallelToolCallsField: flag('`parallel_tool_calls` is accepted.'),
  toolCallIdLength: amount(256, 'Exact length of tool call ids; 0 for any.'),
  toolStreamSwitch: flag('`tool_stream: true` is needed before arguments arrive in pieces.'),
  jsonMode: choice(['schema', 'object', 'none'], 'Strongest `response_format`.'),
  reasoningWrite: choice(
    [
      'effort',
      'effort-parsed',
      'effort-object',
      'enabled-object',
      'thinking-type',
      'enable-thinking',
      'template',
      'none',
    ],
    'How thinking is asked for.',
  ),
  reasoningRead: choices(
    ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking-parts'],
    'Where thinking is found in answers; the first match wins.',
  ),
  reasoningReplay: choice(['required', 'optional', 'forbidden'], 'Whether earlier thinking is sent back.'),
  streamUsage: choice(['on-request', 'always', 'never'], 'When the end of a stream contains usage.'),
  usageAt: choice(['chunk', 'choice', 'vendor'], 'Where usage is found in a stream.'),
  usageVendorField: text('Member that wraps `usage` when `usageAt` is `vendor`.'),
  cachedTokensAt: names('Members of usage that count cached prompt tokens, as dotted paths.'),
  reasoningOutsideCompletion: flag('Reasoning tokens are counted in addition to `completion_tokens`.'),
  reasoningBesideCap: flag('The output cap excludes reasoning tokens: an answer may use more tokens than the cap.'),
  strictTools,
  penalties,
  logprobs,
  obfuscationOff,
} satisfies QuirkProperties<ChatQuirks>;

const messagesProperties = {
  messagesOutput: messages.choice(
    ['native', 'tool', 'instruction'],
    'Strongest way to bind an answer to a schema: `output_config.format`, a forced tool, or a prompt.',
  ),
  prefill: messages.flag('A last assistant message is continued.'),
  systemTurns: messages.flag('Messages of role `system` are understood in any position.'),
  webSearch: messages.flag('The host runs web search itself.'),
  webFetch: messages.flag('The host runs web fetch itself, and the newer versions of web search.'),
  toolSearch: messages.flag('Tool search, `defer_loading` on tools and `tool_reference` in results are understood.'),
  toolSearchBm25: messages.flag('Tools are searched by BM25, too, and not only by regular expressions.'),
  toolSearchBeta: messages.text('The beta that tool search needs at this host, added to requests that search tools.'),
  clientTools: messages.flag('`bash`, the text editor and the memory are known by their types.'),
  documents: messages.flag('`document` blocks are understood.'),
  searchResults: messages.flag('`search_result` blocks are understood.'),
  fetchesUrls: messages.flag('The host downloads images and documents by URL.'),
  cacheMarks: messages.amount(64, 'Most `cache_control` markers; 0 if they are not understood.'),
  effort: messages.flag('`output_config.effort` is understood.'),
  topK: messages.flag('`top_k` is understood.'),
  temperatureWithTopP: messages.flag('`temperature` and `top_p` may be used together.'),
  toolChoiceNone: messages.flag('`tool_choice` of type `none` is understood.'),
  bodyVersion: messages.text('`anthropic_version` in the body, for hosts whose path names the model.'),
  streamMember: messages.flag('`stream` is a member of the body; if not, the path decides.'),
  bodyBetas: messages.flag('Betas are named in the body (`anthropic_beta`), too.'),
  strictTools,
} satisfies QuirkProperties<MessagesQuirks>;

const generateProperties = {
  functionIds: generate.flag('`id` on function calls and responses is understood.'),
  jsonSchemaTools: generate.flag('Tools may be declared in full JSON Schema.'),
  jsonSchemaOutput: generate.flag('`responseJsonSchema` is understood.'),
  cloudFields: generate.flag('Fields of Vertex AI are understood, such as `audioTimestamp`.'),
  penalties,
  logprobs,
  countsWholeCall: generate.flag('`:countTokens` accepts the whole call as `generateContentRequest`.'),
} satisfies QuirkProperties<GenerateQuirks>;

const responsesProperties = {
  instructionsAs: responses.choice(
    ['instructions', 'developer', 'system'],
    'Where instructions go: the member of that name, or messages of that role.',
  ),
  instructionRole: responses.choice(['developer', 'system'], 'Role of instructions in the middle of a conversation.'),
  encryptedReasoning: responses.flag('Encrypted reasoning can be requested, and is accepted in later requests.'),
  reasoningSummary: responses.flag('`reasoning.summary` is understood.'),
  textVerbosity: responses.flag('`text.verbosity` is understood.'),
  outputLogprobs: responses.flag('Log probabilities can be requested.'),
  freeFormTools: responses.flag('Free-form tools are understood.'),
  webSearchTool: responses.flag('The host searches the web itself.'),
  strictFunctions: responses.flag('`strict` on a function is understood.'),
  fileUrls: responses.flag('The host downloads documents by URL.'),
  richToolOutput: responses.flag('Results of tools may contain images and files.'),
  homeMembers: responses.flag('`truncation`, `prompt_cache_key` and other members of the OpenAI API are understood.'),
  minOutputTokens: responses.amount(4096, 'Smallest `max_output_tokens` the host accepts.'),
  reasoningOutsideOutput: responses.flag('Reasoning tokens are counted in addition to `output_tokens`.'),
  obfuscationOff,
} satisfies QuirkProperties<ResponsesQuirks>;

const MAX_INPUTS = 2048;
const inputsMax = bothEmbeddings.amount(MAX_INPUTS, 'Most inputs in one call.');

const embeddingsProperties = {
  base64: embeddings.flag('`encoding_format: base64` is understood.'),
  dimensionsField: embeddings.choice(
    ['dimensions', 'output_dimension', 'none'],
    'The member that requests shorter vectors; `none` if they cannot be requested.',
  ),
  tokenInput: embeddings.flag('Lists of token ids are understood.'),
  inputsMax,
} satisfies QuirkProperties<EmbeddingsQuirks>;

const rerankProperties = {
  maxTokensPerDoc: reranking.flag('`max_tokens_per_doc` is understood.'),
  priority: reranking.flag('`priority` is understood.'),
  documentsOff: reranking.flag('`return_documents: false` has to be sent, or answers repeat the documents.'),
} satisfies QuirkProperties<CohereRerankQuirks>;

const imagesProperties = {
  streamsImages: images.flag('Images are streamed on request.'),
  responseFormat: images.flag('`response_format` is understood: bytes have to be requested.'),
  sizeAs: images.choice(['size', 'aspect-ratio'], 'How the size is sent: numbers, or a ratio and a resolution.'),
  imageSettings: images.flag('`quality`, `background`, `output_format` and the like are understood.'),
  editsAs: images.choice(['form', 'json'], 'How images to edit are sent: as files of a form, or inside JSON.'),
} satisfies QuirkProperties<ImagesQuirks>;

const speechProperties = {
  events: speech.flag('Answers with events that state the usage where `stream_format` asks for them.'),
  instructions: speech.flag('`instructions` are understood.'),
} satisfies QuirkProperties<Omit<SpeechQuirks, 'formats' | 'voices'>>;

const transcriptionProperties = {
  verbose: transcription.flag('`verbose_json` is understood, and states how long a recording is.'),
  streams: transcription.flag('`stream` is understood, and the stream ends with the usage.'),
  translates: transcription.flag('There is `/audio/translations` beside it.'),
  streamUsageField: transcription.flag(
    "A stream states its usage only where `stream_include_usage` asks for it, as vLLM's.",
  ),
  translateField: transcription.flag('The field `translate` asks for English, in place of `/audio/translations`.'),
} satisfies QuirkProperties<TranscriptionQuirks>;

/** The form goes with the path, which the operator does not choose. */
const embedProperties = { inputsMax } satisfies QuirkProperties<Omit<EmbedQuirks, 'form'>>;

export const quirksSchema = Type.Object(
  {
    ...chatProperties,
    ...messagesProperties,
    ...generateProperties,
    ...responsesProperties,
    ...embeddingsProperties,
    ...rerankProperties,
    ...imagesProperties,
    ...speechProperties,
    ...transcriptionProperties,
  },
  {
    additionalProperties: false,
    description:
      'Own hosts only: how the host differs from the common subset of its `dialect`. Each quirk names the formats it belongs to.',
  },
);

/** Which quirks a host of each format may have. */
export const QUIRK_NAMES: Readonly<Record<CustomDialect, readonly string[]>> = {
  'openai-chat': Object.keys(chatProperties),
  'openai-responses': Object.keys(responsesProperties),
  'anthropic-messages': Object.keys(messagesProperties),
  'google-generate': Object.keys(generateProperties),
  'openai-embeddings': Object.keys(embeddingsProperties),
  'google-embed': Object.keys(embedProperties),
  'cohere-rerank': Object.keys(rerankProperties),
  'voyage-rerank': [],
  'tei-rerank': [],
  'openai-moderations': [],
  'openai-images': Object.keys(imagesProperties),
  'google-predict': [],
  'google-operations': [],
  'openai-videos': [],
  'openai-speech': Object.keys(speechProperties),
  'openai-transcription': Object.keys(transcriptionProperties),
};

/** Every value the schema allows is a value the dialects understand. */
export const quirksOfData = (data: Static<typeof quirksSchema>): Quirks => data;
