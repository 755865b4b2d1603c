// Schemas of the request's top level. Members with a shape of their own (messages, tools …) are validated separately.
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';

const closed = { additionalProperties: false } as const;

function nullable<T extends Type.TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

function oneOf<const T extends readonly string[]>(values: T) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values] });
}

const stopString = Type.String({ minLength: 1 });
const stopsUpTo = (maxItems: number) => nullable(Type.Union([stopString, Type.Array(stopString, { maxItems })]));
const textPart = Type.Object({ type: Type.Literal('text'), text: Type.String() }, closed);

const parameters = {
  model: Type.String(),
  messages: Type.Array(Type.Unknown(), { minItems: 1 }),
  audio: nullable(Type.Object({ format: Type.String(), voice: Type.Unknown() }, closed)),
  frequency_penalty: nullable(Type.Number({ minimum: -2, maximum: 2 })),
  function_call: Type.Optional(Type.Unknown()),
  functions: Type.Optional(Type.Array(Type.Unknown(), { minItems: 1, maxItems: 128 })),
  logit_bias: nullable(Type.Record(Type.String(), Type.Number({ minimum: -100, maximum: 100 }))),
  logprobs: nullable(Type.Boolean()),
  max_completion_tokens: nullable(Type.Integer({ minimum: 1 })),
  max_tokens: nullable(Type.Integer({ minimum: 1 })),
  metadata: nullable(Type.Record(Type.String(), Type.String({ maxLength: 512 }), { maxProperties: 16 })),
  modalities: nullable(Type.Array(oneOf(['text', 'audio']), { minItems: 1 })),
  moderation: nullable(Type.Object({ model: Type.String(), policy: Type.Optional(Type.Unknown()) }, closed)),
  n: nullable(Type.Integer({ minimum: 1, maximum: 128 })),
  parallel_tool_calls: Type.Optional(Type.Boolean()),
  prediction: nullable(
    Type.Object({ type: Type.Literal('content'), content: Type.Union([Type.String(), Type.Array(textPart)]) }, closed),
  ),
  presence_penalty: nullable(Type.Number({ minimum: -2, maximum: 2 })),
  prompt_cache_key: nullable(Type.String()),
  prompt_cache_options: Type.Optional(
    Type.Object({ mode: Type.Optional(oneOf(['implicit', 'explicit'])), ttl: Type.Optional(oneOf(['30m'])) }, closed),
  ),
  prompt_cache_retention: nullable(oneOf(['in_memory', 'in-memory', '24h'])),
  reasoning_effort: nullable(oneOf(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
  response_format: Type.Optional(Type.Object({ type: oneOf(['text', 'json_object', 'json_schema']) })),
  safety_identifier: nullable(Type.String({ maxLength: 64 })),
  seed: nullable(Type.Integer({ minimum: -(2 ** 63), maximum: 2 ** 63 })),
  service_tier: nullable(oneOf(['auto', 'default', 'flex', 'scale', 'priority', 'fast'])),
  stop: stopsUpTo(4),
  store: nullable(Type.Boolean()),
  stream: nullable(Type.Boolean()),
  stream_options: nullable(
    Type.Object(
      { include_usage: Type.Optional(Type.Boolean()), include_obfuscation: Type.Optional(Type.Boolean()) },
      closed,
    ),
  ),
  temperature: nullable(Type.Number({ minimum: 0, maximum: 2 })),
  tool_choice: Type.Optional(Type.Unknown()),
  tools: nullable(Type.Array(Type.Unknown(), { minItems: 1, maxItems: 128 })),
  top_logprobs: nullable(Type.Integer({ minimum: 0, maximum: 20 })),
  top_p: nullable(Type.Number({ minimum: 0, maximum: 1 })),
  user: Type.Optional(Type.String()),
  verbosity: nullable(oneOf(['low', 'medium', 'high'])),
  web_search_options: Type.Optional(
    Type.Object(
      {
        search_context_size: Type.Optional(oneOf(['low', 'medium', 'high'])),
        user_location: nullable(
          Type.Object({ type: Type.Literal('approximate'), approximate: Type.Object({}) }, closed),
        ),
      },
      closed,
    ),
  ),
};

export const parametersCheck = Compile(Type.Object(parameters));

export const knownParameters: ReadonlySet<string> = new Set(Object.keys(parameters));

/** Compatible servers take more stop strings; DeepSeek takes 16. */
export const compatibleCommonCheck = Compile(Type.Object({ ...parameters, stop: stopsUpTo(16) }));

/** Parameters that vLLM-like servers add. */
export const compatibleParametersCheck = Compile(
  Type.Object({
    top_k: nullable(Type.Integer({ minimum: -1 })),
    min_p: nullable(Type.Number({ minimum: 0, maximum: 1 })),
    repetition_penalty: nullable(Type.Number({ exclusiveMinimum: 0 })),
    chat_template_kwargs: nullable(Type.Record(Type.String(), Type.Unknown())),
  }),
);
