/** The same few words and the same usage in each dialect, whole and streamed: for billing tests. */
import { type Canned, plainAnswer, streamedAnswer } from './canned-upstream.ts';
import { completion, message } from './messages-canned.ts';
import { responseOf, spoken } from './responses-canned.ts';
import type { Destination } from './roads.ts';

export type CannedWords = {
  /** One event of a stream each. */
  readonly words: readonly string[];
  readonly input?: number;
  /** Absent: the upstream reports no output, or nothing at all. */
  readonly output?: number;
  /** The stream ends before the answer does. */
  readonly breaksOff?: boolean;
};

type Format = {
  whole(text: string, input: number, output: number): object;
  stream(words: readonly string[], input: number, output: number | undefined): readonly (object | string)[];
};

const chunk = (choices: readonly object[], members: object = {}): object => ({
  id: 'chatcmpl-upstream',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'any',
  choices,
  ...members,
});
const delta = (content: string): object => chunk([{ index: 0, delta: { content }, finish_reason: null }]);
const chatUsage = (input: number, output: number): object => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});
const chat: Format = {
  whole: (content, input, output) => completion({ content }, 'stop', { usage: chatUsage(input, output) }),
  stream: (words, input, output) => [
    chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
    ...words.map(delta),
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
    ...(output === undefined ? [] : [chunk([], { usage: chatUsage(input, output) })]),
    '[DONE]',
  ],
};

const messages: Format = {
  whole: (text, input, output) =>
    message([{ type: 'text', text }], { usage: { input_tokens: input, output_tokens: output } }),
  stream: (words, input, output) => [
    {
      type: 'message_start',
      message: message([], { stop_reason: null, usage: { input_tokens: input, output_tokens: 1 } }),
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...words.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: output === undefined ? {} : { output_tokens: output },
    },
    { type: 'message_stop' },
  ],
};

const candidate = (text: string, members: object = {}): object => ({
  index: 0,
  content: { role: 'model', parts: [{ text }] },
  ...members,
});
const googleUsage = (input: number, output: number): object => ({
  usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
});
const google: Format = {
  whole: (text, input, output) => ({
    candidates: [candidate(text, { finishReason: 'STOP' })],
    ...googleUsage(input, output),
  }),
  stream: (words, input, output) => [
    ...words.map((text) => ({ candidates: [candidate(text)] })),
    {
      candidates: [candidate('', { finishReason: 'STOP' })],
      ...(output === undefined ? { usageMetadata: { promptTokenCount: input } } : googleUsage(input, output)),
    },
  ],
};

const responsesUsage = (input: number, output: number): object => ({
  usage: {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  },
});
const PART = { output_index: 0, content_index: 0, item_id: 'msg_1' };
const responses: Format = {
  whole: (text, input, output) => responseOf([spoken(text)], responsesUsage(input, output)),
  stream: (words, input, output) => {
    const text = words.join('');
    const open = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
    const usage = output === undefined ? { usage: null } : responsesUsage(input, output);
    return [
      { type: 'response.created', response: responseOf([], { status: 'in_progress', usage: null }) },
      { type: 'response.output_item.added', output_index: 0, item: open },
      { type: 'response.content_part.added', ...PART, part },
      ...words.map((word) => ({ type: 'response.output_text.delta', ...PART, delta: word, logprobs: [] })),
      { type: 'response.output_text.done', ...PART, text, logprobs: [] },
      { type: 'response.content_part.done', ...PART, part: { ...part, text } },
      { type: 'response.output_item.done', output_index: 0, item: spoken(text) },
      { type: 'response.completed', response: responseOf([spoken(text)], usage) },
    ].map((event, sequence_number) => ({ ...event, sequence_number }));
  },
};

const FORMATS: Readonly<Record<Destination['dialect'], Format>> = {
  'openai-chat': chat,
  'anthropic-messages': messages,
  'google-generate': google,
  'openai-responses': responses,
};

export function cannedWords(
  dialect: Destination['dialect'],
  stream: boolean,
  { words, input = 9, output, breaksOff = false }: CannedWords,
): Canned {
  const format = FORMATS[dialect];
  if (!stream) return plainAnswer(format.whole(words.join(''), input, output ?? 0));
  const frames = format.stream(words, input, output);
  return streamedAnswer(breaksOff ? frames.slice(0, words.length) : frames);
}
