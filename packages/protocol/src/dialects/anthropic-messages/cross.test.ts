import { describe, expect, test } from 'vitest';
import type { Event } from '../../canonical/events.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import { runToEnd, targetFacts, USAGE_WANTED } from '../dialect.fixture.ts';
import type { AnswerContext, Dialect, Frame, Sealing, TargetFacts } from '../dialect.ts';
import { openaiChat } from '../openai-chat/index.ts';
import { chatQuirks } from '../openai-chat/quirks.ts';
import { openaiResponses } from '../openai-responses/index.ts';
import { anthropicMessages } from './index.ts';
import { messagesQuirks } from './quirks.ts';

const facts = (quirks: object, dialect: 'openai-chat' | 'anthropic-messages'): TargetFacts =>
  targetFacts({ dialect, family: dialect === 'openai-chat' ? 'gpt' : 'claude', scope: 's' }, quirks, {
    maxOutputTokens: 5000,
    thinking: { kind: 'budget', canDisable: true, levels: [] },
  });
const toChat = facts(chatQuirks(), 'openai-chat');
const toMessages = facts(messagesQuirks(), 'anthropic-messages');
const context: AnswerContext = {
  requestId: 'r',
  model: 'p/m',
  createdAtSeconds: 1,
  responseOptions: USAGE_WANTED,
};
const request = (from: Dialect, to: Dialect, target: TargetFacts, body: JsonObject): JsonObject =>
  to.client.encodeCall(from.server.understand(body).call(), target).body;
const answer = (to: Dialect, from: Dialect, target: TargetFacts, body: JsonObject): JsonObject =>
  from.server.encodeAnswer(to.client.decodeAnswer(body, target), context).body;
const stream = (to: Dialect, from: Dialect, target: TargetFacts, frames: readonly Frame[]): Frame[] => {
  const decoder = to.client.eventDecoder(target);
  const encoder = from.server.eventEncoder(context);
  const events: Event[] = runToEnd(decoder, frames);
  return runToEnd(encoder, events);
};
const chatFrames = (...deltas: JsonObject[]): Frame[] => [
  ...deltas.map((delta) => ({ data: JSON.stringify({ id: 'c', model: 'x', choices: [{ index: 0, delta }] }) })),
  {
    data: JSON.stringify({
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      usage: { prompt_tokens: 100, completion_tokens: 8, prompt_tokens_details: { cached_tokens: 40 } },
    }),
  },
  { data: '[DONE]' },
];

describe('a messages caller, a chat upstream', () => {
  test('the request keeps its meaning', () => {
    const body = request(anthropicMessages, openaiChat, toChat, {
      model: 'p/m',
      max_tokens: 100,
      system: 'be brief',
      stop_sequences: ['A'],
      temperature: 0.5,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'ok' },
            { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: 'r' },
            { type: 'text', text: 'go' },
          ],
        },
      ],
      tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    });
    expect(body).toEqual({
      model: 'up',
      max_tokens: 100,
      temperature: 0.5,
      stop: ['A'],
      tool_choice: 'required',
      parallel_tool_calls: false,
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
      messages: [
        { role: 'system', content: 'be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
          ],
        },
        {
          role: 'assistant',
          content: 'ok',
          tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
        },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'r' },
        { role: 'user', content: 'go' },
      ],
    });
  });
  test('the answer keeps its meaning', () => {
    const body = answer(openaiChat, anthropicMessages, toChat, {
      choices: [
        {
          finish_reason: 'stop',
          message: {
            content: 'so',
            reasoning_content: 'hm',
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"n":12345678901234567890}' } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 100, completion_tokens: 8, prompt_tokens_details: { cached_tokens: 40 } },
    });
    expect(JSON.stringify(body['content'])).toBe(
      '[{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"so"},{"type":"tool_use","id":"call_1","name":"f","input":{"n":12345678901234567890}}]',
    );
    expect(body).toMatchObject({
      stop_reason: 'tool_use',
      usage: { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 8 },
    });
  });
  test('interleaved fragments become blocks in order', () => {
    const fragment = (index: number, more: JsonObject): JsonObject => ({ tool_calls: [{ index, ...more }] });
    const frames = stream(
      openaiChat,
      anthropicMessages,
      toChat,
      chatFrames(
        { role: 'assistant', content: '' },
        { reasoning_content: 'hm' },
        { content: 'so' },
        fragment(0, { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x"' } }),
        fragment(1, { id: 'b', type: 'function', function: { name: 'g', arguments: '{"y"' } }),
        fragment(0, { function: { arguments: ':1}' } }),
        fragment(1, { function: { arguments: ':2}' } }),
      ),
    );
    const events: JsonObject[] = frames.map(({ data }) => JSON.parse(data));
    const joined = new Map<unknown, string>();
    for (const event of events)
      if (event['type'] === 'content_block_delta') {
        const delta = event['delta'] as JsonObject;
        joined.set(
          event['index'],
          (joined.get(event['index']) ?? '') +
            String(delta['partial_json'] ?? delta['text'] ?? delta['thinking'] ?? ''),
        );
      }
    expect([...joined.values()]).toEqual(['hm', 'so', '{"x":1}', '{"y":2}']);
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'tool_use' },
      usage: { input_tokens: 60, cache_read_input_tokens: 40 },
    });
  });
});

describe('a chat caller, a messages upstream', () => {
  test('the request keeps its meaning', () => {
    const body = request(openaiChat, anthropicMessages, toMessages, {
      model: 'p/m',
      temperature: 0.3,
      stop: 'A',
      max_completion_tokens: 50,
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'q' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
            { id: 'call_2', type: 'function', function: { name: 'f', arguments: '' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'r' },
        { role: 'tool', tool_call_id: 'call_2', content: 's' },
        { role: 'user', content: 'go' },
      ],
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
    });
    expect(body).toEqual({
      model: 'up',
      max_tokens: 50,
      temperature: 0.3,
      stop_sequences: ['A'],
      system: [{ type: 'text', text: 'be brief' }],
      tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'tool', name: 'f' },
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'q' }] },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'call_1', name: 'f', input: { a: 1 } },
            { type: 'tool_use', id: 'call_2', name: 'f', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'r' }] },
            { type: 'tool_result', tool_use_id: 'call_2', content: [{ type: 'text', text: 's' }] },
            { type: 'text', text: 'go' },
          ],
        },
      ],
    });
  });
  test('signed thinking survives the round trip through a chat caller', () => {
    const sealing: Sealing = {
      wrap: (seal) => `ENV${JSON.stringify(seal)}`,
      unwrap: (text) => JSON.parse(text.slice('ENV'.length)) as Sealed,
      isEnvelope: (text) => text.startsWith('ENV'),
    };
    const meant = anthropicMessages.client.decodeAnswer(
      {
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'SIG' },
          { type: 'text', text: 'so' },
        ],
        stop_reason: 'end_turn',
        usage: { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 8 },
      },
      toMessages,
    );
    const completion = openaiChat.server.encodeAnswer(meant, { ...context, sealing }).body;
    const [choice] = completion['choices'] as { message: JsonObject }[];
    expect(completion['usage']).toMatchObject({ prompt_tokens: 100, completion_tokens: 8 });
    const message = choice?.message ?? {};
    const messages = [{ role: 'user', content: 'q' }, message, { role: 'user', content: 'more' }];
    const head = { header: () => undefined, sealing };
    const call = openaiChat.server.understand({ model: 'p/m', messages }, head).call();
    const back = anthropicMessages.client.encodeCall(call, toMessages).body;
    expect((back['messages'] as JsonObject[])[1]).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'SIG' },
        { type: 'text', text: 'so' },
      ],
    });
  });
});

test.each([
  [[], 'completed'],
  [{ type: 'web_search_tool_result_error', error_code: 'unavailable' }, 'failed'],
] as const)('a search with the result %j is %s for callers of Responses', (content, status) => {
  const { output } = answer(anthropicMessages, openaiResponses, toMessages, {
    type: 'message',
    role: 'assistant',
    content: [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: content as JsonObject },
      { type: 'text', text: 'Nothing.' },
    ],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  });
  expect(output).toMatchObject([{ type: 'web_search_call', status }, { type: 'message' }]);
});
