// The form of `providers.<id>.quirks`: how an own host's chat completions differ from the format's common ground.
// The compiler keeps this list and the dialect's own in step.

import type { ChatQuirks } from '@trivium/protocol/dialects';
import Type, { type Static, type TSchema } from 'typebox';

const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const choice = <V extends string[]>(values: readonly [...V], description: string) =>
  Type.Optional(Type.Enum<V>(values, { description }));
const names = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 32, description }));
const amount = (maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }));

const properties = {
  maxTokensField: choice(['max_tokens', 'max_completion_tokens'], "Member that caps the answer's tokens."),
  systemRole: choice(['system', 'developer', 'as-given'], 'Role of instructions.'),
  multipleSystem: flag('Instructions may stand in more than one message.'),
  messageNames: flag('`name` on messages is understood.'),
  seedField: choice(['seed', 'random_seed', 'none'], 'Member that carries a seed.'),
  topKField: choice(['top_k', 'none'], 'Member that carries top-k.'),
  penalties: flag('Frequency and presence penalties are accepted.'),
  stopMax: amount(64, 'Most stop sequences accepted; 0 when `stop` is refused.'),
  temperatureMax: Type.Optional(
    Type.Number({ minimum: 0, maximum: 10, description: 'Highest temperature accepted; a higher one is lowered.' }),
  ),
  logprobs: flag('`logprobs` and `top_logprobs` are accepted.'),
  logitBias: flag('`logit_bias` is accepted.'),
  verbosity: flag('`verbosity` is accepted.'),
  webSearchOptions: flag('`web_search_options` makes the host search the web.'),
  customTools: flag('Free-form tools are accepted.'),
  thinkingModelsRefuse: names('Members that models which think refuse on this host.'),
  toolsEmptyOk: flag('An empty list of tools is accepted.'),
  strictTools: flag('`strict` inside a function declaration is accepted.'),
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
  reasoningRead: Type.Optional(
    Type.Array(Type.Enum(['reasoning_content', 'reasoning', 'reasoning_details', 'thinking-parts']), {
      maxItems: 4,
      description: 'Where thinking is found in answers; the first match wins.',
    }),
  ),
  reasoningReplay: choice(['required', 'optional', 'forbidden'], 'Whether earlier thinking is sent back.'),
  streamUsage: choice(['on-request', 'always', 'never'], 'When usage stands at the end of a stream.'),
  usageAt: choice(['chunk', 'choice', 'vendor'], 'Where usage stands in a stream.'),
  usageVendorField: Type.Optional(
    Type.String({ maxLength: 100, description: 'Member that wraps `usage` when `usageAt` is `vendor`.' }),
  ),
  cachedTokensAt: names('Members of usage that count cached prompt tokens, as dotted paths.'),
  reasoningOutsideCompletion: flag('Reasoning tokens are counted beside `completion_tokens`.'),
  obfuscationOff: flag('Random padding in stream chunks can be switched off.'),
} satisfies Record<keyof ChatQuirks, TSchema>;

export const quirksSchema = Type.Object(properties, {
  additionalProperties: false,
  description: "Own hosts speaking `openai-chat` only: how the host differs from the format's common ground.",
});

/** Every value the form allows is a value the dialect understands. */
export const quirksOfData = (data: Static<typeof quirksSchema>): Partial<ChatQuirks> => data;
