/** The Responses request as callers may send it. One schema is the validation, the type and the OpenAPI fragment. */
import { type Static, Type } from 'typebox';
import { anyObject, Maybe } from '../checking.ts';

const AnyObject = anyObject();
const Name = Type.String({ minLength: 1 });

export const ResponsesCallWire = Type.Object({
  model: Name,
  input: Type.Union([Type.String(), Type.Array(Type.Unknown(), { minItems: 1 })]),
  instructions: Maybe(Type.String()),
  max_output_tokens: Maybe(Type.Integer({ minimum: 1 })),
  max_tool_calls: Maybe(Type.Integer({ minimum: 1 })),
  temperature: Maybe(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Maybe(Type.Number({ minimum: 0, maximum: 1 })),
  top_logprobs: Maybe(Type.Integer({ minimum: 0, maximum: 20 })),
  include: Maybe(Type.Array(Type.String())),
  tools: Maybe(Type.Array(Type.Unknown())),
  tool_choice: Maybe(Type.Unknown()),
  parallel_tool_calls: Maybe(Type.Boolean()),
  reasoning: Maybe(
    Type.Object({
      effort: Maybe(Type.String()),
      summary: Maybe(Type.Enum(['auto', 'concise', 'detailed'])),
      generate_summary: Maybe(Type.Enum(['auto', 'concise', 'detailed'])),
    }),
  ),
  text: Maybe(Type.Object({ format: Maybe(Type.Unknown()), verbosity: Maybe(Type.Enum(['low', 'medium', 'high'])) })),
  truncation: Maybe(Type.Enum(['auto', 'disabled'])),
  metadata: Maybe(anyObject({ maxProperties: 16 })),
  stream: Maybe(Type.Boolean()),
  stream_options: Maybe(Type.Object({ include_obfuscation: Maybe(Type.Boolean()) })),
  store: Maybe(Type.Boolean()),
  background: Maybe(Type.Boolean()),
});
export type ResponsesCallWire = Static<typeof ResponsesCallWire>;

export const FormatsByType = {
  text: Type.Object({ type: Type.Literal('text') }),
  json_object: Type.Object({ type: Type.Literal('json_object') }),
  json_schema: Type.Object({
    type: Type.Literal('json_schema'),
    name: Type.String({ pattern: '^[a-zA-Z0-9_-]{1,64}$' }),
    schema: AnyObject,
    strict: Maybe(Type.Boolean()),
    description: Maybe(Type.String()),
  }),
} as const;
export type FormatType = keyof typeof FormatsByType;

export const PartsByType = {
  input_text: Type.Object({
    type: Type.Literal('input_text'),
    text: Type.String(),
    prompt_cache_breakpoint: Type.Optional(Type.Unknown()),
  }),
  input_image: Type.Object({
    type: Type.Literal('input_image'),
    image_url: Maybe(Type.String()),
    file_id: Maybe(Type.String()),
    detail: Maybe(Type.Enum(['low', 'high', 'auto', 'original'])),
  }),
  input_file: Type.Object({
    type: Type.Literal('input_file'),
    file_data: Maybe(Type.String()),
    file_url: Maybe(Type.String()),
    file_id: Maybe(Type.String()),
    filename: Maybe(Type.String()),
  }),
  output_text: Type.Object({
    type: Type.Literal('output_text'),
    text: Type.String(),
    annotations: Maybe(Type.Array(AnyObject)),
  }),
  refusal: Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }),
} as const;
export type ResponsesPartType = keyof typeof PartsByType;

const Content = Type.Union([Type.String(), Type.Array(Type.Unknown(), { minItems: 1 })]);
const Output = Type.Union([Type.String(), Type.Array(Type.Unknown())]);
const Texts = (type: string) => Type.Array(Type.Object({ type: Type.Literal(type), text: Type.String() }));

export const ItemsByType = {
  message: Type.Object({
    type: Maybe(Type.Literal('message')),
    role: Type.Enum(['user', 'assistant', 'system', 'developer']),
    content: Content,
    phase: Maybe(Type.Enum(['commentary', 'final_answer'])),
  }),
  function_call: Type.Object({
    type: Type.Literal('function_call'),
    call_id: Name,
    name: Name,
    arguments: Type.String(),
    namespace: Maybe(Type.String()),
  }),
  function_call_output: Type.Object({ type: Type.Literal('function_call_output'), call_id: Name, output: Output }),
  custom_tool_call: Type.Object({
    type: Type.Literal('custom_tool_call'),
    call_id: Name,
    name: Name,
    input: Type.String(),
    namespace: Maybe(Type.String()),
  }),
  custom_tool_call_output: Type.Object({
    type: Type.Literal('custom_tool_call_output'),
    call_id: Name,
    output: Output,
  }),
  reasoning: Type.Object({
    type: Type.Literal('reasoning'),
    id: Maybe(Type.String()),
    summary: Texts('summary_text'),
    content: Maybe(Texts('reasoning_text')),
    encrypted_content: Maybe(Type.String()),
  }),
} as const;
export type ItemType = keyof typeof ItemsByType;

export const ToolsByType = {
  function: Type.Object({
    type: Type.Literal('function'),
    name: Name,
    parameters: Maybe(AnyObject),
    strict: Maybe(Type.Boolean()),
    description: Maybe(Type.String()),
  }),
  custom: Type.Object({
    type: Type.Literal('custom'),
    name: Name,
    description: Maybe(Type.String()),
    format: Maybe(AnyObject),
  }),
  web_search: Type.Object({
    type: Type.String(),
    search_context_size: Maybe(Type.Enum(['low', 'medium', 'high'])),
    filters: Maybe(Type.Object({ allowed_domains: Maybe(Type.Array(Type.String())) })),
    user_location: Maybe(
      Type.Object({
        city: Maybe(Type.String()),
        region: Maybe(Type.String()),
        country: Maybe(Type.String()),
        timezone: Maybe(Type.String()),
      }),
    ),
  }),
} as const;

export const ToolChoicesByType = {
  function: Type.Object({ type: Type.Literal('function'), name: Name }),
  custom: Type.Object({ type: Type.Literal('custom'), name: Name }),
  allowed_tools: Type.Object({
    type: Type.Literal('allowed_tools'),
    mode: Type.Enum(['auto', 'required']),
    tools: Type.Array(AnyObject),
  }),
} as const;
