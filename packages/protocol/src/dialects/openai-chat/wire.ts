/**
 * The chat-completions request as callers may send it. One schema is the validation, the type and the OpenAPI fragment.
 */
import { type Static, Type } from 'typebox';
import {
  COMPLEXITIES,
  FACTORS,
  MAX_PREFERRED_NAMES,
  STRATEGIES,
  TASK_TYPES,
} from '../../canonical/routing-preferences.ts';
import { anyObject, Maybe } from '../checking.ts';

const AnyObject = anyObject();

const names = Maybe(Type.Array(Type.String(), { maxItems: MAX_PREFERRED_NAMES }));
export const SORTS = ['price', 'throughput', 'latency'] as const;
/** USD per million tokens; some callers send prices as strings. */
const price = Maybe(
  Type.Union([Type.Number({ minimum: 0 }), Type.String({ pattern: '^[0-9]{1,9}(\\.[0-9]{1,12})?$' })]),
);

/** Members of `provider` in the form other routers use. */
export const hostPreferenceMembers = {
  only: names,
  order: names,
  ignore: names,
  allow_fallbacks: Maybe(Type.Boolean()),
  sort: Maybe(Type.Union([Type.Enum([...SORTS]), Type.Object({ by: Maybe(Type.Enum([...SORTS])) })])),
  max_price: Maybe(Type.Object({ prompt: price, completion: price })),
  require_parameters: Maybe(Type.Boolean()),
  quantizations: names,
  data_collection: Maybe(Type.Enum(['allow', 'deny'])),
  zdr: Maybe(Type.Boolean()),
} as const;

export const RoutingPreference = Type.Object({
  type: Maybe(Type.Enum([...STRATEGIES])),
  primary_factor: Maybe(Type.Enum([...FACTORS])),
  providers: Maybe(Type.Array(Type.String(), { maxItems: MAX_PREFERRED_NAMES })),
  fallback: Maybe(Type.Union([Type.String(), Type.Boolean()])),
  ...hostPreferenceMembers,
});

const ModelRoutingPreference = Type.Object({
  available_models: Maybe(Type.Array(Type.String(), { maxItems: MAX_PREFERRED_NAMES })),
  preference: Maybe(Type.String()),
  task_info: Maybe(
    Type.Object({
      task_type: Maybe(Type.Enum([...TASK_TYPES])),
      complexity: Maybe(Type.Enum([...COMPLEXITIES])),
      additional_properties: Maybe(AnyObject),
    }),
  ),
  additional_properties: Maybe(AnyObject),
});

export const ResponseFormatsByType = {
  text: Type.Object({ type: Type.Literal('text') }),
  json_object: Type.Object({ type: Type.Literal('json_object') }),
  json_schema: Type.Object({
    type: Type.Literal('json_schema'),
    json_schema: Type.Object({
      name: Type.String({ pattern: '^[a-zA-Z0-9_-]{1,64}$' }),
      schema: Maybe(AnyObject),
      strict: Maybe(Type.Boolean()),
      description: Maybe(Type.String()),
    }),
  }),
} as const;

export const ToolChoicesByType = {
  function: Type.Object({ type: Type.Literal('function'), function: Type.Object({ name: Type.String() }) }),
  custom: Type.Object({ type: Type.Literal('custom'), custom: Type.Object({ name: Type.String() }) }),
  allowed_tools: Type.Object({
    type: Type.Literal('allowed_tools'),
    allowed_tools: Type.Object({ mode: Type.Enum(['auto', 'required']), tools: Type.Array(AnyObject) }),
  }),
} as const;

/** What is read of `web_search_options`. Hosts differ in its form, so a request is never refused for it. */
export const SearchOptions = Type.Object({
  search_context_size: Type.Unknown(),
  user_location: Type.Object({
    type: Type.Unknown(),
    approximate: Type.Object({
      city: Type.Unknown(),
      region: Type.Unknown(),
      country: Type.Unknown(),
      timezone: Type.Unknown(),
    }),
  }),
});

export const ChatCallWire = Type.Object({
  model: Type.String({ minLength: 1 }),
  messages: Type.Array(Type.Unknown(), { minItems: 1 }),
  max_completion_tokens: Maybe(Type.Integer({ minimum: 1 })),
  max_tokens: Maybe(Type.Integer({ minimum: 1 })),
  temperature: Maybe(Type.Number()),
  top_p: Maybe(Type.Number()),
  n: Maybe(Type.Integer({ minimum: 1, maximum: 1 })),
  frequency_penalty: Maybe(Type.Number({ minimum: -2, maximum: 2 })),
  presence_penalty: Maybe(Type.Number({ minimum: -2, maximum: 2 })),
  stop: Maybe(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 4 })])),
  logit_bias: Maybe(Type.Record(Type.String(), Type.Number({ minimum: -100, maximum: 100 }))),
  logprobs: Maybe(Type.Boolean()),
  top_logprobs: Maybe(Type.Integer({ minimum: 0, maximum: 20 })),
  tools: Maybe(Type.Array(Type.Unknown())),
  tool_choice: Maybe(Type.Unknown()),
  parallel_tool_calls: Maybe(Type.Boolean()),
  reasoning_effort: Maybe(Type.String()),
  verbosity: Maybe(Type.Enum(['low', 'medium', 'high'])),
  web_search_options: Maybe(AnyObject),
  metadata: Maybe(anyObject({ maxProperties: 16 })),
  stream: Maybe(Type.Boolean()),
  stream_options: Maybe(Type.Object({ include_usage: Maybe(Type.Boolean()) })),
  response_format: Maybe(Type.Unknown()),
  provider: Maybe(Type.Unknown()),
  model_routing_config: Maybe(ModelRoutingPreference),
  models: Maybe(Type.Array(Type.String({ minLength: 1 }), { maxItems: MAX_PREFERRED_NAMES })),
  reasoning: Maybe(
    Type.Object({
      enabled: Maybe(Type.Boolean()),
      effort: Maybe(Type.Enum(['low', 'medium', 'high'])),
      max_tokens: Maybe(Type.Number({ minimum: 1 })),
      exclude: Maybe(Type.Boolean()),
    }),
  ),
  usage: Maybe(Type.Object({ include: Maybe(Type.Boolean()) })),
  modalities: Maybe(Type.Array(Type.String())),
});
export type ChatCallWire = Static<typeof ChatCallWire>;

export const IMAGE_DETAILS = ['low', 'high', 'auto'] as const;
/** A cache mark that some hosts of the format support; its content is never a reason to refuse a request. */
const cache_control = Type.Optional(Type.Unknown());
const TextPart = Type.Object({ type: Type.Literal('text'), text: Type.String(), cache_control });
export const PartsByType = {
  text: TextPart,
  image_url: Type.Object({
    type: Type.Literal('image_url'),
    image_url: Type.Object({ url: Type.String(), detail: Maybe(Type.Enum([...IMAGE_DETAILS])) }),
    cache_control,
  }),
  input_audio: Type.Object({
    type: Type.Literal('input_audio'),
    input_audio: Type.Object({ data: Type.String(), format: Type.String({ minLength: 1 }) }),
  }),
  file: Type.Object({
    type: Type.Literal('file'),
    file: Type.Object({
      file_id: Maybe(Type.String()),
      file_data: Maybe(Type.String()),
      filename: Maybe(Type.String()),
    }),
    cache_control,
  }),
  refusal: Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }),
} as const;
export type ChatPartType = keyof typeof PartsByType;

const Content = Type.Union([Type.String(), Type.Array(Type.Unknown(), { minItems: 1 })]);
const name = Maybe(Type.String());

const FunctionCall = Type.Object({ name: Type.String(), arguments: Type.String() });
export const ToolCallsByType = {
  function: Type.Object({ id: Type.String({ minLength: 1 }), type: Type.Literal('function'), function: FunctionCall }),
  custom: Type.Object({
    id: Type.String({ minLength: 1 }),
    type: Type.Literal('custom'),
    custom: Type.Object({ name: Type.String(), input: Type.String() }),
  }),
} as const;

export const MessagesByRole = {
  developer: Type.Object({ role: Type.Literal('developer'), content: Content, name }),
  system: Type.Object({ role: Type.Literal('system'), content: Content, name }),
  user: Type.Object({ role: Type.Literal('user'), content: Content, name }),
  assistant: Type.Object({
    role: Type.Literal('assistant'),
    content: Maybe(Content),
    name,
    refusal: Maybe(Type.String()),
    audio: Maybe(Type.Object({ id: Type.String() })),
    tool_calls: Maybe(Type.Array(Type.Unknown())),
    function_call: Maybe(FunctionCall),
    annotations: Type.Optional(Type.Unknown()),
    reasoning: Maybe(Type.String()),
    reasoning_content: Maybe(Type.String()),
    reasoning_details: Maybe(
      Type.Array(
        Type.Object({
          type: Type.String(),
          text: Maybe(Type.String()),
          signature: Maybe(Type.String()),
          format: Maybe(Type.String()),
          index: Maybe(Type.Number()),
          data: Maybe(Type.String()),
          id: Maybe(Type.String()),
          summary: Maybe(Type.String()),
        }),
      ),
    ),
  }),
  tool: Type.Object({
    role: Type.Literal('tool'),
    tool_call_id: Type.String({ minLength: 1 }),
    content: Content,
    name,
  }),
  function: Type.Object({
    role: Type.Literal('function'),
    name: Type.String({ minLength: 1 }),
    content: Type.Union([Type.String(), Type.Null()]),
  }),
} as const;
export type MessageRole = keyof typeof MessagesByRole;

export const ToolsByType = {
  function: Type.Object({
    type: Type.Literal('function'),
    function: Type.Object({
      name: Type.String({ minLength: 1 }),
      description: Maybe(Type.String()),
      parameters: Maybe(AnyObject),
      strict: Maybe(Type.Boolean()),
    }),
  }),
  custom: Type.Object({
    type: Type.Literal('custom'),
    custom: Type.Object({
      name: Type.String({ minLength: 1 }),
      description: Maybe(Type.String()),
      format: Maybe(AnyObject),
    }),
  }),
} as const;
