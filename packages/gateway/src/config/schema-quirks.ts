// The form of `providers.<id>.quirks`: how an own host differs from the common ground of the format it speaks.
// The compiler keeps these lists and the dialects' own in step.

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
import type { CustomDialect } from '../providers/custom.ts';
import type { Quirks } from '../providers/provider.ts';
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
const logprobs = chatAndGenerate.flag('Log probabilities can be asked for.');
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
    'Strongest way to bind an answer to a schema: `output_config.format`, a forced tool, or words.',
  ),
  prefill: messages.flag('A last assistant message is continued.'),
  systemTurns: messages.flag('Messages of role `system` are understood where they stand.'),
  webSearch: messages.flag('The host runs web search itself.'),
  clientTools: messages.flag('`bash` and the text editor are known by their types.'),
  documents: messages.flag('`document` blocks are understood.'),
  searchResults: messages.flag('`search_result` blocks are understood.'),
  fetchesUrls: messages.flag('The host fetches images and documents by URL.'),
  cacheMarks: messages.amount(64, 'Most `cache_control` marks; 0 when they are not understood.'),
  effort: messages.flag('`output_config.effort` is understood.'),
  topK: messages.flag('`top_k` is understood.'),
  temperatureWithTopP: messages.flag('`temperature` and `top_p` may be given together.'),
  toolChoiceNone: messages.flag('`tool_choice` of type `none` is understood.'),
  bodyVersion: messages.text('`anthropic_version` in the body, for hosts whose path names the model.'),
  streamMember: messages.flag('`stream` is a member of the body; where not, the path says it.'),
  bodyBetas: messages.flag('Betas are named in the body (`anthropic_beta`), too.'),
  strictTools,
} satisfies QuirkProperties<MessagesQuirks>;

const generateProperties = {
  functionIds: generate.flag('`id` on function calls and responses is understood.'),
  jsonSchemaTools: generate.flag('Tools may be declared in full JSON Schema.'),
  jsonSchemaOutput: generate.flag('`responseJsonSchema` is understood.'),
  cloudFields: generate.flag('Fields of the cloud edition are understood, such as `audioTimestamp`.'),
  penalties,
  logprobs,
  countsWholeCall: generate.flag('`:countTokens` takes the whole call as `generateContentRequest`.'),
} satisfies QuirkProperties<GenerateQuirks>;

const responsesProperties = {
  instructionsAs: responses.choice(
    ['instructions', 'developer', 'system'],
    'Where instructions go: the member of that name, or messages of that role.',
  ),
  instructionRole: responses.choice(['developer', 'system'], 'Role of instructions in the middle of a conversation.'),
  encryptedReasoning: responses.flag('Encrypted reasoning can be asked for, and is taken back.'),
  reasoningSummary: responses.flag('`reasoning.summary` is understood.'),
  textVerbosity: responses.flag('`text.verbosity` is understood.'),
  outputLogprobs: responses.flag('Log probabilities can be asked for.'),
  freeFormTools: responses.flag('Free-form tools are understood.'),
  webSearchTool: responses.flag('The host searches the web itself.'),
  strictFunctions: responses.flag('`strict` on a function is understood.'),
  fileUrls: responses.flag('Documents by URL are fetched by the host.'),
  richToolOutput: responses.flag('Results of tools may hold images and files.'),
  homeMembers: responses.flag('`truncation`, `prompt_cache_key` and other members of the home are understood.'),
  minOutputTokens: responses.amount(4096, 'Smallest `max_output_tokens` the host takes.'),
  reasoningOutsideOutput: responses.flag('Reasoning tokens are counted beside `output_tokens`.'),
  obfuscationOff,
} satisfies QuirkProperties<ResponsesQuirks>;

const MAX_INPUTS = 2048;
const inputsMax = bothEmbeddings.amount(MAX_INPUTS, 'Most inputs in one call.');

const embeddingsProperties = {
  base64: embeddings.flag('`encoding_format: base64` is understood.'),
  dimensionsField: embeddings.choice(
    ['dimensions', 'output_dimension', 'none'],
    'The member that asks for shorter vectors; `none` when they cannot be asked for.',
  ),
  tokenInput: embeddings.flag('Lists of token ids are understood.'),
  inputsMax,
} satisfies QuirkProperties<EmbeddingsQuirks>;

const imagesProperties = {
  streamsImages: images.flag('Images are streamed where asked.'),
  responseFormat: images.flag('`response_format` is understood: bytes have to be asked for.'),
  sizeAs: images.choice(['size', 'aspect-ratio'], 'How the size is sent: numbers, or a ratio and a resolution.'),
  imageSettings: images.flag('`quality`, `background`, `output_format` and the like are understood.'),
  editsAs: images.choice(['form', 'json'], 'How images to be edited are sent: files of a form, or inside JSON.'),
} satisfies QuirkProperties<ImagesQuirks>;

/** The form goes with the address, which is not the operator's to choose. */
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
      'Own hosts only: how the host differs from the common ground of its `dialect`. Each quirk names the formats it belongs to.',
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

/** Every value the form allows is a value the dialects understand. */
export const quirksOfData = (data: Static<typeof quirksSchema>): Quirks => data;
