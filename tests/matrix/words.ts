/** The protocols' words for what scenarios expect, written from their documents. */
import type { Inbound } from './meaning.ts';

type Words = Readonly<Record<Inbound, string>>;
const words = (chat: string, messages: string, genai: string, responses: string): Words => ({
  chat,
  messages,
  genai,
  responses,
});
const everywhere = (word: string): Words => words(word, word, word, word);

/** How each protocol tells the end of an answer; an SDK of Google's knows the bare words. */
export const FINISHES = {
  stop: words('stop', 'end_turn', 'STOP', 'completed'),
  'stop-sequence': words('stop', 'stop_sequence', 'STOP', 'completed'),
  length: words('length', 'max_tokens', 'MAX_TOKENS', 'max_output_tokens'),
  calls: words('tool_calls', 'tool_use', 'STOP', 'completed'),
  filter: words('content_filter', 'refusal', 'SAFETY', 'content_filter'),
  recitation: words('content_filter', 'refusal', 'RECITATION', 'content_filter'),
  /** A refusal is content of its own in Responses, whose status stays as it was. */
  refusal: words('content_filter', 'refusal', 'SAFETY', 'completed'),
  'prompt-blocked': words('content_filter', 'refusal', 'prompt blocked', 'content_filter'),
} as const satisfies Record<string, Words>;
export type Finish = keyof typeof FINISHES;

/** What a caller calls a field that was lost or refused. */
export const WORDS = {
  topK: words('top_k', 'top_k', 'generationConfig.topK', 'top_k'),
  topP: words('top_p', 'top_p', 'generationConfig.topP', 'top_p'),
  seed: words('seed', 'seed', 'generationConfig.seed', 'seed'),
  frequencyPenalty: words(
    'frequency_penalty',
    'frequency_penalty',
    'generationConfig.frequencyPenalty',
    'frequency_penalty',
  ),
  logprobs: words('logprobs', 'logprobs', 'generationConfig.responseLogprobs', 'include'),
  oneCall: words('parallel_tool_calls', 'tool_choice.disable_parallel_tool_use', 'toolConfig', 'parallel_tool_calls'),
  tools: everywhere('tools'),
  search: words('web_search_options', 'tools.web_search', 'tools.googleSearch', 'tools'),
  role: words('messages.role', 'messages.role', 'contents.role', 'input.role'),
  effort: words(
    'reasoning_effort',
    'output_config.effort',
    'generationConfig.thinkingConfig.thinkingLevel',
    'reasoning.effort',
  ),
  budget: words(
    'reasoning.max_tokens',
    'thinking.budget_tokens',
    'generationConfig.thinkingConfig.thinkingBudget',
    'reasoning.effort',
  ),
  output: words('response_format', 'output_config.format', 'generationConfig.responseMimeType', 'text.format'),
  /** Of answers: a part that the caller's protocol has no place for. */
  answerCalls: words(
    'choices[0].message.tool_calls',
    'content.tool_use',
    'candidates[0].content',
    'output.function_call',
  ),
  answerCitations: words(
    'choices[0].message.annotations',
    'content.citations',
    'candidates[0].citationMetadata',
    'output.content.annotations',
  ),
  answerSearch: words(
    'choices[0].message.server-tool',
    'content.server-tool',
    'candidates[0].content',
    'output.server-tool',
  ),
  answerImage: words('choices[0].message.media', 'content.media', 'candidates[0].content', 'output.media'),
  answerForeign: words('choices[0].message.foreign', 'content.foreign', 'candidates[0].content', 'output.foreign'),
  answer: words('choices', 'content', 'candidates[0].content', 'output'),
  cache: words(
    'messages.content.cache_control',
    'messages.content.cache_control',
    'contents.parts',
    'input.content.prompt_cache_breakpoint',
  ),
  citations: words('messages.annotations', 'messages.content.citations', 'contents.parts', 'input.content.annotations'),
  media: words('messages.content', 'messages.content.source', 'contents.parts.inlineData', 'input.content'),
  thinking: words('messages.reasoning', 'messages.content.thinking', 'contents.parts.thought', 'input.reasoning'),
  seal: words(
    'messages.reasoning_details.signature',
    'messages.content.thinking.signature',
    'contents.parts.thoughtSignature',
    'input.reasoning.encrypted_content',
  ),
  result: words(
    'messages.tool',
    'messages.content.tool_result',
    'contents.parts.functionResponse',
    'input.function_call_output',
  ),
  audio: words('messages', 'messages', 'contents', 'input'),
  prefill: words('messages', 'messages', 'contents', 'input'),
  serverTool: words('messages.content', 'messages.content.server_tool_use', 'contents.parts', 'input.web_search_call'),
  foreign: words('messages.content', 'messages.content', 'contents.parts', 'input'),
} as const satisfies Record<string, Words>;
export type LossWord = keyof typeof WORDS;
