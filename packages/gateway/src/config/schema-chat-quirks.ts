// How an own host's chat completions may differ. Quirks that other formats share are in `schema-quirks.ts`.

import { quirkKinds } from './quirk-kinds.ts';

const { flag, choice, choices, names, text, amount, number } = quirkKinds('`openai-chat`');

export const chatQuirkProperties = {
  maxTokensField: choice(['max_tokens', 'max_completion_tokens'], "Member that caps the answer's tokens."),
  systemRole: choice(['system', 'developer', 'as-given'], 'Role of instructions.'),
  multipleSystem: flag('Instructions may be in more than one message.'),
  messageNames: flag('`name` on messages is understood.'),
  prefillWrite: choice(
    ['prefix', 'partial', 'continue-final', 'none'],
    "How a last message of the assistant's is continued.",
  ),
  seedField: choice(['seed', 'random_seed', 'none'], 'Member that carries a seed.'),
  topKField: choice(['top_k', 'none'], 'Member that carries top-k.'),
  stopMax: amount(64, 'Most stop sequences accepted; 0 when `stop` is refused.'),
  temperatureMax: number(10, 'Highest temperature accepted; a higher one is lowered.'),
  logitBias: flag('`logit_bias` is accepted.'),
  verbosity: flag('`verbosity` is accepted.'),
  webSearchOptions: flag('`web_search_options` makes the host search the web.'),
  customTools: flag('Free-form tools are accepted.'),
  thinkingModelsRefuse: names('Members that models which think refuse on this host.'),
  toolsEmptyOk: flag('An empty list of tools is accepted.'),
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
  reasoningRead: choices(
    ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking-parts'],
    'Where thinking is found in answers; the first match wins.',
  ),
  reasoningReplay: choice(['required', 'optional', 'forbidden'], 'Whether earlier thinking is sent back.'),
  streamUsage: choice(['on-request', 'always', 'never'], 'When the end of a stream contains usage.'),
  usageAt: choice(['chunk', 'choice', 'vendor'], 'Where usage is found in a stream.'),
  usageVendorField: text('Member that wraps `usage` when `usageAt` is `vendor`.'),
  cachedTokensAt: names('Members of usage that count cached prompt tokens, as dotted paths.'),
  reasoningOutsideCompletion: flag('Reasoning tokens are counted in addition to `completion_tokens`.'),
  reasoningBesideCap: flag('The output cap excludes reasoning tokens: an answer may use more tokens than the cap.'),
};
