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
  stop: words('stop', 'stop_sequences', 'generationConfig.stopSequences', 'stop'),
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
  role: words('messages.role', 'messages.role', 'contents.role', 'input.role'),
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
  failed: words(
    'messages.tool',
    'messages.content.tool_result',
    'contents.parts.functionResponse',
    'input.function_call_output',
  ),
  prefill: words('messages', 'messages', 'contents', 'input'),
  serverTool: words('messages.content', 'messages.content.server_tool_use', 'contents.parts', 'input.web_search_call'),
  foreign: words('messages.content', 'messages.content', 'contents.parts', 'input'),
} as const satisfies Record<string, Words>;
export type LossWord = keyof typeof WORDS;
