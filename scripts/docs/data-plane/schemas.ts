/** Request bodies of the data plane, put together from the schemas that check them. */
import * as messages from '../../../packages/protocol/src/dialects/anthropic-messages/wire.ts';
import { RerankWire } from '../../../packages/protocol/src/dialects/cohere-rerank/check.ts';
import * as genai from '../../../packages/protocol/src/dialects/google-generate/wire.ts';
import { CompletionsWire } from '../../../packages/protocol/src/dialects/openai-chat/completions.ts';
import * as chat from '../../../packages/protocol/src/dialects/openai-chat/wire.ts';
import { EmbeddingsWire } from '../../../packages/protocol/src/dialects/openai-embeddings/check.ts';
import { ImagesWire } from '../../../packages/protocol/src/dialects/openai-images/wire.ts';
import { ModerationsWire } from '../../../packages/protocol/src/dialects/openai-moderations/index.ts';
import * as responses from '../../../packages/protocol/src/dialects/openai-responses/wire.ts';
import { SpeechWire } from '../../../packages/protocol/src/dialects/openai-speech/index.ts';
import { TranscriptionWire } from '../../../packages/protocol/src/dialects/openai-transcription/understand.ts';
import { byTag, fill, type JsonSchema, optional, orElse, otherTyped, plain, ref } from './json-schema.ts';

const fillAll = (schema: object, slots: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  Object.entries(slots).reduce((whole, [path, own]) => fill(whole, path, own), plain(schema));

const words = (...choices: readonly string[]): JsonSchema => ({ enum: choices });
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const object = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
  description?: string,
): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  ...(description !== undefined && { description }),
});
const TEXT: JsonSchema = { type: 'string' };
const STRING_OR = (items: JsonSchema): JsonSchema => ({ anyOf: [TEXT, { type: 'array', items }] });

const CHAT = {
  ChatMessage: fillAll(byTag('role', chat.MessagesByRole), {
    'content.[]': ref('ChatContentPart'),
    'tool_calls.[]': ref('ChatToolCall'),
  }),
  ChatContentPart: byTag('type', chat.PartsByType),
  ChatToolCall: byTag('type', chat.ToolCallsByType),
  ChatTool: orElse(
    byTag('type', { ...chat.ToolsByType, function: optional(plain(chat.ToolsByType.function), 'type') }),
    otherTyped(Object.keys(chat.ToolsByType)),
  ),
  ProviderPreference: {
    ...plain(chat.RoutingPreference),
    description: 'Which providers may answer, and in which order. The same members may stand under `routing`.',
  },
  ChatCompletionRequest: fillAll(chat.ChatCallWire, {
    'messages.[]': ref('ChatMessage'),
    'tools.[]': ref('ChatTool'),
    tool_choice: orElse(byTag('type', chat.ToolChoicesByType), words('none', 'auto', 'required')),
    response_format: byTag('type', chat.ResponseFormatsByType),
    provider: ref('ProviderPreference'),
  }),
};

const RESPONSES = {
  ResponsesContentPart: byTag('type', responses.PartsByType),
  ResponsesItem: orElse(
    fillAll(
      byTag('type', {
        ...responses.ItemsByType,
        message: fill(plain(responses.ItemsByType.message), 'content.[]', ref('ResponsesContentPart')),
      }),
      { 'output.[]': ref('ResponsesContentPart') },
    ),
    otherTyped(Object.keys(responses.ItemsByType)),
  ),
  ResponsesTool: orElse(
    byTag('type', { function: responses.ToolsByType.function, custom: responses.ToolsByType.custom }),
    { title: 'web_search', ...plain(responses.ToolsByType.web_search) },
    otherTyped(['function', 'custom']),
  ),
  ResponsesRequest: fillAll(responses.ResponsesCallWire, {
    'input.[]': ref('ResponsesItem'),
    'tools.[]': ref('ResponsesTool'),
    tool_choice: { anyOf: [words('none', 'auto', 'required'), object({ type: TEXT }, ['type'])] },
    'text.format': byTag('type', responses.FormatsByType),
  }),
};

const MESSAGES = {
  MessagesBlock: byTag('type', messages.BlocksByType),
  MessagesMessage: object({ role: words('user', 'assistant', 'system'), content: STRING_OR(ref('MessagesBlock')) }, [
    'role',
    'content',
  ]),
  MessagesTool: {
    anyOf: [
      { title: 'custom', ...plain(messages.CustomTool) },
      { title: 'bash', ...plain(messages.BashTool) },
      { title: 'text_editor', ...plain(messages.TextEditorTool) },
      { title: 'web_search', ...plain(messages.WebSearchTool) },
      otherTyped(['custom']),
    ],
  },
  MessagesRequest: fillAll(messages.MessagesCallWire, {
    'messages.[]': ref('MessagesMessage'),
    'system.[]': ref('MessagesBlock'),
    'tools.[]': ref('MessagesTool'),
    thinking: byTag('type', messages.ThinkingByType),
    tool_choice: byTag('type', messages.ToolChoicesByType),
  }),
};

const countBody = (schema: JsonSchema): JsonSchema => {
  const { max_tokens: _none, ...properties } = schema['properties'] as JsonSchema;
  const required = (schema['required'] as readonly string[]).filter((name) => name !== 'max_tokens');
  return { ...schema, required, properties };
};

const GENERATE_CONTENT = fillAll(genai.RootWire, { generationConfig: ref('GenerationConfig') });
const GENAI = {
  GenerationConfig: plain(genai.ConfigWire),
  GenerateContentRequest: {
    ...GENERATE_CONTENT,
    description: 'Members may also be written with underscores, as in `system_instruction`; null counts as absent.',
  },
};

/** Checked by code without a schema (packages/protocol/src/dialects/google-embed, google-predict, google-operations, openai-videos). */
const content = object({ parts: list(object({ text: TEXT }, ['text'])) }, ['parts']);
const embedding = {
  content,
  taskType: TEXT,
  title: TEXT,
  outputDimensionality: { type: 'integer', minimum: 1 },
  autoTruncate: { type: 'boolean' },
};
const BY_CODE = {
  ConversationRequest: object(
    {
      items: { type: 'array', maxItems: 20, items: ref('ResponsesItem') },
      metadata: { type: 'object', maxProperties: 16 },
    },
    [],
    'Checked by code.',
  ),
  EmbedContentRequest: object({ ...embedding, model: TEXT }, ['content'], 'Checked by code.'),
  BatchEmbedContentsRequest: object({ requests: list(ref('EmbedContentRequest')) }, ['requests'], 'Checked by code.'),
  PredictRequest: object(
    { instances: list({ type: 'object' }), parameters: { type: 'object' } },
    ['instances'],
    'One instance with a `prompt` makes images; instances with `content` make embeddings. Checked by code.',
  ),
  VideoRequest: object(
    {
      instances: {
        type: 'array',
        minItems: 1,
        maxItems: 1,
        items: object({ prompt: TEXT, image: { type: 'object' }, lastFrame: { type: 'object' } }),
      },
      parameters: { type: 'object' },
    },
    ['instances'],
    'Checked by code.',
  ),
  VideoOrderRequest: object(
    {
      model: TEXT,
      prompt: TEXT,
      seconds: TEXT,
      size: TEXT,
      input_reference: object({ image_url: TEXT }, [], 'First frame, as a data URL; in a form, a file.'),
    },
    ['prompt'],
    'JSON, or `multipart/form-data` with the same members. Checked by code.',
  ),
  VideoPollRequest: object({ operationName: TEXT }, ['operationName'], 'Checked by code.'),
};

export const REQUEST_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ...CHAT,
  ...RESPONSES,
  ...MESSAGES,
  CountTokensRequest: countBody(MESSAGES.MessagesRequest),
  ...GENAI,
  EmbeddingsRequest: fillAll(EmbeddingsWire, {
    input: {
      anyOf: [TEXT, list(TEXT), list({ type: 'integer' }), list(list({ type: 'integer' }))],
      description: 'A text, texts, tokens, or lists of tokens.',
    },
  }),
  RerankRequest: fillAll(RerankWire, {
    'documents.[]': {
      anyOf: [TEXT, object({ text: TEXT })],
      description: 'A text, or an object with one; with `rank_fields`, one with the members it names.',
    },
  }),
  CompletionRequest: fillAll(CompletionsWire, {
    prompt: { anyOf: [TEXT, list(TEXT)], description: 'A text, or a list of one.' },
  }),
  ModerationsRequest: fillAll(ModerationsWire, {
    input: {
      anyOf: [TEXT, list(TEXT), list(object({ type: TEXT, text: TEXT, image_url: object({ url: TEXT }) }, ['type']))],
      description: 'A text, texts, or parts that are judged together.',
    },
  }),
  ImagesRequest: plain(ImagesWire),
  SpeechRequest: plain(SpeechWire),
  TranscriptionRequest: plain(TranscriptionWire),
  ...BY_CODE,
};
