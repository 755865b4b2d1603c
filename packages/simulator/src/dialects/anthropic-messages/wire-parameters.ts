// Shapes of the request's top level; messages and tools are validated as a whole elsewhere.
import {
  anything,
  decimal,
  flag,
  integer,
  list,
  mapOf,
  nullable,
  object,
  open,
  type ShapeMembers,
  tagged,
  text,
  textOr,
  word,
} from '../shape-check.ts';
import { assistantBlocks, cacheControl, systemBlocks, textBlocks, userBlocks } from './wire-blocks.ts';

const display = nullable(word('summarized', 'omitted'));
const MINIMUM_BUDGET = 1024;

const thinking = tagged(
  'type',
  {
    enabled: object({ type: anything, budget_tokens: integer({ min: MINIMUM_BUDGET }) }, { display }),
    disabled: object({ type: anything }),
    adaptive: object({ type: anything }, { display }),
  },
  { inPath: true },
);

const parallel: ShapeMembers = { disable_parallel_tool_use: flag };
const toolChoice = tagged(
  'type',
  {
    auto: object({ type: anything }, parallel),
    any: object({ type: anything }, parallel),
    tool: object({ type: anything, name: text() }, parallel),
    none: object({ type: anything }),
  },
  { inPath: true },
);

const toolName = text({ min: 1, pattern: /^[a-zA-Z0-9_-]{1,128}$/u });
const customTool = object(
  { name: toolName, input_schema: open(object({ type: word('object') })) },
  {
    type: nullable(word('custom')),
    description: text(),
    cache_control: cacheControl,
    strict: flag,
    eager_input_streaming: nullable(flag),
    defer_loading: flag,
    input_examples: list(mapOf(anything)),
    allowed_callers: list(text()),
  },
);
const location = nullable(
  object(
    { type: word('approximate') },
    { city: nullable(text()), region: nullable(text()), country: nullable(text()), timezone: nullable(text()) },
  ),
);
const webSearch = object(
  { type: anything, name: word('web_search') },
  {
    max_uses: nullable(integer({ min: 1 })),
    allowed_domains: nullable(list(text())),
    blocked_domains: nullable(list(text())),
    user_location: location,
    cache_control: cacheControl,
    strict: flag,
    defer_loading: flag,
    allowed_callers: list(text()),
  },
);
const webFetch = object(
  { type: anything, name: word('web_fetch') },
  {
    max_uses: nullable(integer({ min: 1 })),
    allowed_domains: nullable(list(text())),
    blocked_domains: nullable(list(text())),
    citations: anything,
    max_content_tokens: nullable(integer({ min: 1 })),
    use_cache: anything,
    cache_control: cacheControl,
    defer_loading: flag,
    allowed_callers: list(text()),
  },
);
const builtIn = (name: string, more: ShapeMembers = {}) =>
  object({ type: anything, name: word(name) }, { cache_control: cacheControl, ...more });

const tool = tagged(
  'type',
  {
    custom: customTool,
    web_search_20250305: webSearch,
    web_search_20260209: webSearch,
    bash_20250124: builtIn('bash'),
    text_editor_20250124: builtIn('str_replace_editor'),
    text_editor_20250429: builtIn('str_replace_based_edit_tool'),
    text_editor_20250728: builtIn('str_replace_based_edit_tool', { max_characters: nullable(integer({ min: 1 })) }),
    memory_20250818: builtIn('memory'),
    web_search_20260318: webSearch,
    ...Object.fromEntries(
      ['web_fetch_20250910', 'web_fetch_20260209', 'web_fetch_20260318'].map((each) => [each, webFetch]),
    ),
    ...Object.fromEntries(
      ['tool_search_tool_bm25_20251119', 'tool_search_tool_regex_20251119'].map((each) => [
        each,
        builtIn(each.replace(/_\d+$/u, '')),
      ]),
    ),
    code_execution_20250522: builtIn('code_execution'),
    code_execution_20250825: builtIn('code_execution'),
    code_execution_20260120: builtIn('code_execution'),
    code_execution_20260521: builtIn('code_execution'),
    advisor_20260301: builtIn('advisor', {
      model: text(),
      max_uses: nullable(integer({ min: 1 })),
      caching: anything,
      max_tokens: anything,
    }),
    mcp_toolset: open(object({ type: anything, mcp_server_name: text() })),
  },
  { inPath: true, default: 'custom' },
);

const message = tagged('role', {
  user: object({ role: anything, content: textOr(list(userBlocks)) }),
  assistant: object({ role: anything, content: textOr(list(assistantBlocks)) }),
  system: object({ role: anything, content: textOr(systemBlocks) }),
});

const shared: ShapeMembers = {
  cache_control: cacheControl,
  output_config: object(
    {},
    {
      effort: nullable(word('low', 'medium', 'high', 'xhigh', 'max')),
      format: nullable(object({ type: word('json_schema'), schema: mapOf(anything) })),
      task_budget: nullable(anything),
    },
  ),
  context_management: nullable(object({}, { edits: list(open(object({ type: text() }))) })),
  mcp_servers: list(open(object({ type: text(), name: text(), url: text() }))),
  output_format: nullable(object({ type: word('json_schema'), schema: mapOf(anything) })),
  speed: nullable(word('standard', 'fast')),
  system: textOr(textBlocks),
  thinking,
  tool_choice: toolChoice,
  tools: list(tool),
};

const required: ShapeMembers = { model: text({ min: 1 }), messages: list(message, { min: 1 }) };

export const countShape = object(required, shared);

export const createShape = object(
  { ...required, max_tokens: integer({ min: 1 }) },
  {
    ...shared,
    container: nullable(anything),
    diagnostics: nullable(object({}, { previous_message_id: nullable(text()) })),
    inference_geo: nullable(text()),
    metadata: object({}, { user_id: nullable(text({ max: 256 })) }),
    service_tier: word('auto', 'standard_only'),
    stop_sequences: list(text()),
    stream: flag,
    temperature: decimal({ min: 0, max: 1 }),
    // Both accept -1, which means no limit.
    top_k: integer({ min: -1 }),
    top_p: decimal({ min: -1, max: 1 }),
  },
);
