// Schema of `providers.<id>.quirks`: how an own host differs from the common subset of its format. The compiler keeps
// these lists and the dialects' own in step.

import type {
  ChatQuirks,
  EmbeddingsQuirks,
  EmbedQuirks,
  GenerateQuirks,
  ImagesQuirks,
  MessagesQuirks,
  ResponsesQuirks,
} from '@trivium/protocol/dialects';
import Type, { type Static } from 'typebox';
import type { CustomDialect } from '../models/providers/custom.ts';
import type { Quirks } from '../models/providers/provider.ts';
import { type QuirkProperties, quirkKinds } from './quirk-kinds.ts';
import { chatQuirkProperties } from './schema-chat-quirks.ts';

const chatAndMessages = quirkKinds('`openai-chat`, `anthropic-messages`');
const chatAndGenerate = quirkKinds('`openai-chat`, `google-generate`');
const chatAndResponses = quirkKinds('`openai-chat`, `openai-responses`');
const messages = quirkKinds('`anthropic-messages`');
const generate = quirkKinds('`google-generate`');
const responses = quirkKinds('`openai-responses`');
const embeddings = quirkKinds('`openai-embeddings`');
const images = quirkKinds('`openai-images`');
const bothEmbeddings = quirkKinds('`openai-embeddings`, `google-embed`');

const strictTools = chatAndMessages.flag('`strict` inside a tool declaration is accepted.');
const penalties = chatAndGenerate.flag('Frequency and presence penalties are accepted.');
const logprobs = chatAndGenerate.flag('Log probabilities can be requested.');
const obfuscationOff = chatAndResponses.flag('Random padding in stream chunks can be switched off.');

const chatProperties = {
  ...chatQuirkProperties,
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

const imagesProperties = {
  streamsImages: images.flag('Images are streamed on request.'),
  responseFormat: images.flag('`response_format` is understood: bytes have to be requested.'),
  sizeAs: images.choice(['size', 'aspect-ratio'], 'How the size is sent: numbers, or a ratio and a resolution.'),
  imageSettings: images.flag('`quality`, `background`, `output_format` and the like are understood.'),
  editsAs: images.choice(['form', 'json'], 'How images to edit are sent: as files of a form, or inside JSON.'),
} satisfies QuirkProperties<ImagesQuirks>;

/** The form goes with the path, which the operator does not choose. */
const embedProperties = { inputsMax } satisfies QuirkProperties<Omit<EmbedQuirks, 'form'>>;

export const quirksSchema = Type.Object(
  {
    ...chatProperties,
    ...messagesProperties,
    ...generateProperties,
    ...responsesProperties,
    ...embeddingsProperties,
    ...imagesProperties,
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
  'openai-images': Object.keys(imagesProperties),
  'google-predict': [],
  'google-operations': [],
  'openai-videos': [],
};

/** Every value the schema allows is a value the dialects understand. */
export const quirksOfData = (data: Static<typeof quirksSchema>): Quirks => data;
