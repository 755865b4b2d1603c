// Shapes of the request's top level.
import {
  anything,
  decimal,
  flag,
  integer,
  list,
  mapOf,
  nullable,
  object,
  type Shape,
  type ShapeMembers,
  tagged,
  text,
  textOr,
  word,
} from '../shape-check.ts';
import { inputItem } from './wire-items.ts';

const MINIMUM_OUTPUT_TOKENS = 16;
const type: ShapeMembers = { type: anything };
const name = text({ min: 1, max: 64, pattern: /^[a-zA-Z0-9_-]+$/u });

const webSearch = object(
  { ...type },
  {
    filters: nullable(anything),
    search_context_size: word('low', 'medium', 'high'),
    user_location: nullable(anything),
    external_web_access: flag,
    search_content_types: list(word('text', 'image')),
  },
);

const tool = tagged('type', {
  function: object(
    { ...type, name },
    {
      description: nullable(text()),
      parameters: nullable(mapOf(anything)),
      strict: nullable(flag),
      defer_loading: flag,
    },
  ),
  custom: object({ ...type, name }, { description: text(), format: anything, defer_loading: flag }),
  web_search: webSearch,
  web_search_2025_08_26: webSearch,
  web_search_preview: webSearch,
  image_generation: anything,
  code_interpreter: anything,
  file_search: anything,
  mcp: anything,
  apply_patch: object({ ...type }),
  tool_search: object({ ...type }, { execution: text(), description: nullable(text()), parameters: anything }),
  namespace: object({ ...type, name, tools: list(anything) }, { description: nullable(text()) }),
  local_shell: object({ ...type }),
  shell: object({ ...type }, { environment: anything }),
  computer: anything,
  computer_use_preview: anything,
});

const choiceObject = tagged('type', {
  function: object({ ...type, name: text() }),
  custom: object({ ...type, name: text() }),
  allowed_tools: object({ ...type, mode: word('auto', 'required'), tools: list(mapOf(anything)) }),
  web_search: object({ ...type }),
  web_search_preview: object({ ...type }),
  image_generation: object({ ...type }),
  ...Object.fromEntries(
    ['file_search', 'code_interpreter', 'mcp', 'apply_patch', 'shell'].map((each) => [each, anything]),
  ),
});
const toolChoice: Shape = (value, path, options) =>
  (typeof value === 'string' ? word('none', 'auto', 'required') : choiceObject)(value, path, options);

const format = tagged('type', {
  text: object({ ...type }),
  json_object: object({ ...type }),
  json_schema: object({ ...type, name, schema: mapOf(anything) }, { description: text(), strict: nullable(flag) }),
});

const INCLUDABLE = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
] as const;

export const createShape = object(
  {},
  {
    // Part of the prompt, if there is one.
    model: text(),
    context_management: nullable(list(mapOf(anything))),
    moderation: nullable(anything),
    client_metadata: nullable(mapOf(text())),
    background: nullable(flag),
    conversation: nullable(anything),
    include: nullable(list(word(...INCLUDABLE))),
    input: textOr(list(inputItem)),
    instructions: nullable(text()),
    max_output_tokens: nullable(integer({ min: MINIMUM_OUTPUT_TOKENS })),
    max_tool_calls: nullable(integer({ min: 1 })),
    metadata: nullable(mapOf(text({ max: 512 }))),
    parallel_tool_calls: nullable(flag),
    previous_response_id: nullable(text()),
    prompt: nullable(anything),
    prompt_cache_key: nullable(text()),
    prompt_cache_options: anything,
    prompt_cache_retention: nullable(word('in_memory', 'in-memory', '24h')),
    reasoning: nullable(
      object(
        {},
        {
          effort: nullable(word('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
          context: nullable(text()),
          mode: nullable(text()),
          summary: nullable(word('auto', 'concise', 'detailed')),
          generate_summary: nullable(word('auto', 'concise', 'detailed')),
        },
      ),
    ),
    safety_identifier: nullable(text({ max: 64 })),
    service_tier: nullable(word('auto', 'default', 'flex', 'scale', 'priority', 'fast')),
    store: nullable(flag),
    stream: nullable(flag),
    stream_options: nullable(object({}, { include_obfuscation: flag })),
    temperature: nullable(decimal({ min: 0, max: 2 })),
    text: object({}, { format, verbosity: nullable(word('low', 'medium', 'high')) }),
    tool_choice: toolChoice,
    tools: list(tool),
    top_logprobs: nullable(integer({ min: 0, max: 20 })),
    top_p: nullable(decimal({ min: 0, max: 1 })),
    truncation: nullable(word('auto', 'disabled')),
    user: text(),
  },
);
