/** The answers of the warm-up's stub upstream: one host of each wire format, with typical answers. */
export const FAIL = '@fail';
export const STALL = '@stall';
export const TEXT = 'The quick brown fox jumps over the lazy dog.';
const PIECES = TEXT.split(/(?= fox| over)/);
const MODEL = 'm';

type Host = { readonly auth: string; readonly base: string; whole(): object; events(): readonly (string | object)[] };

const chatChunk = (delta: object, finish: string | null = null, more: object = {}): object => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: MODEL,
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});
const response = (status: string, output: readonly object[]): object => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status,
  model: MODEL,
  output,
  usage: { input_tokens: 9, output_tokens: 9, total_tokens: 18 },
});
const outputText = (text: string): object => ({ type: 'output_text', text, annotations: [] });
const outputMessage = (status: string, content: readonly object[]): object => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status,
  content,
});
const candidate = (text: string, finish?: string): object => ({
  candidates: [
    { content: { role: 'model', parts: [{ text }] }, ...(finish !== undefined && { finishReason: finish }) },
  ],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 9, totalTokenCount: 18 },
  modelVersion: MODEL,
});

/** One host of each wire format, with a typical answer. */
export const HOSTS: Readonly<Record<string, Host>> = {
  'openai-chat': {
    auth: 'bearer',
    base: '/chat',
    whole: () => ({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: MODEL,
      choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 },
    }),
    events: () => [
      chatChunk({ role: 'assistant', content: '' }),
      ...PIECES.map((content) => chatChunk({ content })),
      chatChunk({}, 'stop'),
      { ...chatChunk({}), choices: [], usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 } },
      '[DONE]',
    ],
  },
  'openai-responses': {
    auth: 'bearer',
    base: '/responses',
    whole: () => response('completed', [outputMessage('completed', [outputText(TEXT)])]),
    events: () => {
      const at = { output_index: 0, item_id: 'msg_1', content_index: 0 };
      const events = [
        { type: 'response.created', response: response('in_progress', []) },
        { type: 'response.output_item.added', output_index: 0, item: outputMessage('in_progress', []) },
        { type: 'response.content_part.added', ...at, part: outputText('') },
        ...PIECES.map((delta) => ({ type: 'response.output_text.delta', ...at, delta })),
        { type: 'response.output_text.done', ...at, text: TEXT },
        { type: 'response.content_part.done', ...at, part: outputText(TEXT) },
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: outputMessage('completed', [outputText(TEXT)]),
        },
        {
          type: 'response.completed',
          response: response('completed', [outputMessage('completed', [outputText(TEXT)])]),
        },
      ];
      return events.map((event, sequence_number) => ({ ...event, sequence_number }));
    },
  },
  'anthropic-messages': {
    auth: 'x-api-key',
    base: '/messages',
    whole: () => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content: [{ type: 'text', text: TEXT }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 9 },
    }),
    events: () => [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: MODEL,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 9, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...PIECES.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 9 } },
      { type: 'message_stop' },
    ],
  },
  'google-generate': {
    auth: 'x-goog-api-key',
    base: '/generate',
    whole: () => candidate(TEXT, 'STOP'),
    events: () => PIECES.map((text, at) => candidate(text, at === PIECES.length - 1 ? 'STOP' : undefined)),
  },
};
export const DIALECTS = Object.keys(HOSTS);
