/** The messages request as callers may send it. The schemas are the validation and the OpenAPI fragment. */
import { Type } from 'typebox';
import { anyObject, Maybe } from '../checking.ts';

const AnyObject = anyObject();
const Whole = (minimum: number) => Type.Integer({ minimum });

const MAX_MESSAGES = 100_000;
export const MAX_TOOL_NAME = 128;
export const MIN_THINKING_BUDGET = 1024;

const CacheControl = Type.Object({
  type: Type.Literal('ephemeral'),
  ttl: Maybe(Type.Enum(['5m', '1h'])),
});
const cache_control = Maybe(CacheControl);

export const MessagesCallWire = Type.Object({
  model: Type.String({ minLength: 1 }),
  max_tokens: Whole(1),
  messages: Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_MESSAGES }),
  stop_sequences: Maybe(Type.Array(Type.String())),
  stream: Maybe(Type.Boolean()),
  system: Maybe(Type.Union([Type.String(), Type.Array(Type.Unknown())])),
  temperature: Maybe(Type.Number({ minimum: 0, maximum: 1 })),
  thinking: Maybe(AnyObject),
  tool_choice: Maybe(AnyObject),
  tools: Maybe(Type.Array(Type.Unknown())),
  top_k: Maybe(Whole(0)),
  top_p: Maybe(Type.Number({ minimum: 0, maximum: 1 })),
  metadata: Maybe(AnyObject),
  service_tier: Maybe(Type.Unknown()),
  cache_control,
  output_config: Maybe(
    Type.Object({
      effort: Maybe(Type.String()),
      format: Maybe(Type.Object({ type: Type.Literal('json_schema'), schema: AnyObject })),
    }),
  ),
});

const display = Maybe(Type.Enum(['summarized', 'omitted']));
export const ThinkingByType = {
  enabled: Type.Object({ type: Type.Literal('enabled'), budget_tokens: Whole(MIN_THINKING_BUDGET), display }),
  disabled: Type.Object({ type: Type.Literal('disabled') }),
  adaptive: Type.Object({ type: Type.Literal('adaptive'), display }),
} as const;

const disable_parallel_tool_use = Maybe(Type.Boolean());
export const ToolChoicesByType = {
  auto: Type.Object({ type: Type.Literal('auto'), disable_parallel_tool_use }),
  any: Type.Object({ type: Type.Literal('any'), disable_parallel_tool_use }),
  tool: Type.Object({ type: Type.Literal('tool'), name: Type.String({ minLength: 1 }), disable_parallel_tool_use }),
  none: Type.Object({ type: Type.Literal('none') }),
} as const;

export const CustomTool = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MAX_TOOL_NAME }),
  description: Maybe(Type.String()),
  input_schema: Type.Object({
    type: Type.Literal('object'),
    properties: Maybe(AnyObject),
    required: Maybe(Type.Array(Type.String())),
  }),
  strict: Maybe(Type.Boolean()),
  cache_control,
});
export const BashTool = Type.Object({ name: Type.Literal('bash'), cache_control });
export const TextEditorTool = Type.Object({
  name: Type.Enum(['str_replace_editor', 'str_replace_based_edit_tool']),
  max_characters: Maybe(Whole(1)),
  cache_control,
});
export const WebSearchTool = Type.Object({
  name: Type.Literal('web_search'),
  allowed_domains: Maybe(Type.Array(Type.String())),
  blocked_domains: Maybe(Type.Array(Type.String())),
  max_uses: Maybe(Whole(1)),
  user_location: Maybe(
    Type.Object({
      type: Type.Literal('approximate'),
      city: Maybe(Type.String()),
      region: Maybe(Type.String()),
      country: Maybe(Type.String({ pattern: '^[A-Za-z]{2}$' })),
      timezone: Maybe(Type.String()),
    }),
  ),
  cache_control,
});

/** Tools of the home that the gateway only passes on: each has members of its own. */
export const PassedTool = Type.Object({ name: Type.String({ minLength: 1, maxLength: MAX_TOOL_NAME }), cache_control });

const cited_text = Type.String();
const document = { cited_text, document_index: Whole(0), document_title: Maybe(Type.String()) };
export const CitationsByType = {
  char_location: Type.Object({ ...document, start_char_index: Whole(0), end_char_index: Whole(0) }),
  page_location: Type.Object({ ...document, start_page_number: Whole(1), end_page_number: Whole(1) }),
  content_block_location: Type.Object({ ...document, start_block_index: Whole(0), end_block_index: Whole(0) }),
  web_search_result_location: Type.Object({
    cited_text,
    url: Type.String(),
    title: Maybe(Type.String()),
    encrypted_index: Type.String(),
  }),
  search_result_location: Type.Object({
    cited_text,
    source: Maybe(Type.String()),
    title: Maybe(Type.String()),
    search_result_index: Whole(0),
    start_block_index: Whole(0),
    end_block_index: Whole(0),
  }),
} as const;

export const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
export const ImageSourcesByType = {
  base64: Type.Object({
    media_type: Type.Enum([...IMAGE_TYPES]),
    data: Type.String(),
  }),
  url: Type.Object({ url: Type.String() }),
} as const;
export const DocumentSourcesByType = {
  base64: Type.Object({ media_type: Type.Literal('application/pdf'), data: Type.String() }),
  text: Type.Object({ media_type: Type.Literal('text/plain'), data: Type.String() }),
  content: Type.Object({ content: Type.Union([Type.String(), Type.Array(Type.Unknown())]) }),
  url: Type.Object({ url: Type.String() }),
} as const;

const id = Type.String({ minLength: 1 });
const name = Type.String({ minLength: 1 });
const passedResult = Type.Object({ tool_use_id: id, content: Type.Unknown(), cache_control });
export const BlocksByType = {
  text: Type.Object({ text: Type.String(), citations: Maybe(Type.Array(Type.Unknown())), cache_control }),
  image: Type.Object({ source: AnyObject, cache_control }),
  document: Type.Object({
    source: AnyObject,
    title: Maybe(Type.String()),
    context: Maybe(Type.String()),
    citations: Maybe(Type.Object({ enabled: Maybe(Type.Boolean()) })),
    cache_control,
  }),
  tool_result: Type.Object({
    tool_use_id: id,
    content: Maybe(Type.Union([Type.String(), Type.Array(Type.Unknown())])),
    is_error: Maybe(Type.Boolean()),
    cache_control,
  }),
  tool_use: Type.Object({ id, name, input: AnyObject, cache_control }),
  server_tool_use: Type.Object({
    id: Type.String({ pattern: '^srvtoolu_[A-Za-z0-9_]+$' }),
    name,
    input: Maybe(AnyObject),
    cache_control,
  }),
  web_search_tool_result: Type.Object({
    tool_use_id: id,
    content: Type.Union([Type.Array(Type.Unknown()), AnyObject]),
    cache_control,
  }),
  web_fetch_tool_result: passedResult,
  tool_search_tool_result: passedResult,
  // The newer web tools filter with code, and answers contain its results.
  code_execution_tool_result: passedResult,
  bash_code_execution_tool_result: passedResult,
  text_editor_code_execution_tool_result: passedResult,
  tool_reference: Type.Object({ tool_name: name, cache_control }),
  thinking: Type.Object({ thinking: Type.String(), signature: Type.String() }),
  redacted_thinking: Type.Object({ data: Type.String() }),
  compaction: Type.Object({ content: Maybe(Type.String()), cache_control }),
  search_result: Type.Object({
    source: Maybe(Type.String()),
    title: Maybe(Type.String()),
    content: Type.Array(Type.Unknown()),
    citations: Maybe(Type.Object({ enabled: Type.Boolean() })),
    cache_control,
  }),
} as const;
export type BlockType = keyof typeof BlocksByType;

export const WebSearchResult = Type.Object({
  type: Type.Literal('web_search_result'),
  url: Type.String(),
  title: Type.String(),
  encrypted_content: Type.String(),
  page_age: Maybe(Type.String()),
});
export const WebSearchFailure = Type.Object({
  type: Type.Literal('web_search_tool_result_error'),
  error_code: Type.Enum(['too_many_requests', 'invalid_input', 'max_uses_exceeded', 'query_too_long', 'unavailable']),
});
