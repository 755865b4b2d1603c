/** The least a client accepts as an answer, in the four formats of upstreams: whole, and as the events of a stream. */
import type { Protocol } from './wire.ts';

export type Format = {
  readonly opening: string;
  readonly text: (content: string) => string;
  readonly ending: string;
  readonly whole: (content: string) => string;
};

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const event = (type: string, more: object = {}): string => `event: ${type}\n${data({ type, ...more })}`;

const chunk = (delta: object, finish: string | null, more: object = {}): string =>
  data({
    id: 'x',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });

const CHAT_USAGE = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
const RESPONSE = { id: 'r1', object: 'response', created_at: 1, model: 'm' };
const RESPONSE_USAGE = { input_tokens: 5, output_tokens: 3, total_tokens: 8 };
const MESSAGE = { id: 'm1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null };
const GOOGLE_USAGE = { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 };

const candidate = (content: string, more: object = {}): object => ({
  content: { role: 'model', parts: [{ text: content }] },
  index: 0,
  ...more,
});

export const FORMATS: Readonly<Record<Protocol, Format>> = {
  chat: {
    opening: '',
    text: (content) => chunk({ content }, null),
    ending: `${chunk({}, 'stop', { usage: CHAT_USAGE })}data: [DONE]\n\n`,
    whole: (content) =>
      JSON.stringify({
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
        usage: CHAT_USAGE,
      }),
  },
  messages: {
    opening:
      event('message_start', {
        message: { ...MESSAGE, content: [], stop_reason: null, usage: { input_tokens: 5, output_tokens: 1 } },
      }) + event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    text: (content) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: content } }),
    ending:
      event('content_block_stop', { index: 0 }) +
      event('message_delta', {
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 3 },
      }) +
      event('message_stop'),
    whole: (content) =>
      JSON.stringify({
        ...MESSAGE,
        content: [{ type: 'text', text: content }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 5, output_tokens: 3 },
      }),
  },
  generate: {
    opening: '',
    text: (content) => data({ candidates: [candidate(content)] }),
    ending: data({ candidates: [candidate('', { finishReason: 'STOP' })], usageMetadata: GOOGLE_USAGE }),
    whole: (content) =>
      JSON.stringify({ candidates: [candidate(content, { finishReason: 'STOP' })], usageMetadata: GOOGLE_USAGE }),
  },
  responses: {
    opening:
      event('response.created', {
        sequence_number: 0,
        response: { ...RESPONSE, status: 'in_progress', output: [] },
      }) +
      event('response.output_item.added', {
        sequence_number: 1,
        output_index: 0,
        item: { id: 'i1', type: 'message', role: 'assistant', status: 'in_progress', content: [] },
      }) +
      event('response.content_part.added', {
        sequence_number: 2,
        item_id: 'i1',
        output_index: 0,
        content_index: 0,
        part: { type: 'output_text', text: '', annotations: [] },
      }),
    text: (content) =>
      event('response.output_text.delta', {
        sequence_number: 3,
        item_id: 'i1',
        output_index: 0,
        content_index: 0,
        delta: content,
      }),
    ending: event('response.completed', {
      sequence_number: 9,
      response: { ...RESPONSE, status: 'completed', output: [], usage: RESPONSE_USAGE },
    }),
    whole: (content) =>
      JSON.stringify({
        ...RESPONSE,
        status: 'completed',
        output: [
          {
            id: 'i1',
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: content, annotations: [] }],
          },
        ],
        usage: RESPONSE_USAGE,
      }),
  },
};
