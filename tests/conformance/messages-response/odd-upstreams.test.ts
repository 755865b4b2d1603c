/** MR: answers outside the simulator's scenarios; the upstream sends them byte for byte. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CannedStand, plainAnswer } from '../../support/canned-upstream.ts';
import { serverToolUse, webSearchError, webSearchResult } from '../../support/messages-blocks.ts';
import {
  CANNED_CHAT,
  CANNED_GOOGLE,
  CANNED_MESSAGES,
  callOf,
  completion,
  generated,
  message,
  openMessagesCannedStand,
} from '../../support/messages-canned.ts';
import { ask, expectError, type Json, postMessages, text } from '../../support/messages-probe.ts';

let stand: CannedStand;
beforeAll(async () => {
  stand = await openMessagesCannedStand();
});
afterAll(() => stand.close());

const WORDS = 'I cannot say.';
const HELLO = [text(WORDS)];
const TOOLS = [{ name: 'f', input_schema: { type: 'object' } }];

async function answered(model: string, answer: object, members: Json = {}): Promise<Json> {
  stand.say(plainAnswer(answer));
  const { status, json } = await postMessages(stand, ask({ model, ...members }));
  expect({ status, error: json['error'] }).toEqual({ status: 200, error: undefined });
  return json;
}
const chat = (finish: string) => completion({ content: WORDS }, finish);
const google = (finish: string) => generated([{ text: WORDS }], finish);
const messages = (stop_reason: string | null) => message(HELLO, { stop_reason });

test.each([
  ['MR-09', 'end_turn', CANNED_MESSAGES, messages('end_turn')],
  ['MR-09', 'end_turn', CANNED_CHAT, chat('stop')],
  ['MR-09', 'end_turn', CANNED_GOOGLE, google('STOP')],
  ['MR-10', 'max_tokens', CANNED_MESSAGES, messages('max_tokens')],
  ['MR-10', 'max_tokens', CANNED_CHAT, chat('length')],
  ['MR-10', 'max_tokens', CANNED_GOOGLE, google('MAX_TOKENS')],
  ['MR-14', 'refusal', CANNED_MESSAGES, messages('refusal')],
  ['MR-14', 'refusal', CANNED_CHAT, chat('content_filter')],
  ['MR-14', 'refusal', CANNED_GOOGLE, google('SAFETY')],
  ['MR-14', 'refusal', CANNED_GOOGLE, google('PROHIBITED_CONTENT')],
  ['MR-15', 'end_turn', CANNED_MESSAGES, messages('something_new')],
  ['MR-15', 'end_turn', CANNED_CHAT, chat('something_new')],
  ['MR-13', 'pause_turn', CANNED_MESSAGES, messages('pause_turn')],
])('[%s] %s from %s', async (_rule, stop_reason, model, answer) => {
  expect(await answered(model, answer)).toMatchObject({ stop_reason, stop_sequence: null, content: HELLO });
});

test('[E-30] only the upstream’s classifier gives stop reason refusal, not a text that reads like one', async () => {
  for (const [model, words, classified] of [
    [CANNED_MESSAGES, messages('end_turn'), messages('refusal')],
    [CANNED_CHAT, chat('stop'), chat('content_filter')],
    [CANNED_GOOGLE, google('STOP'), google('SAFETY')],
  ] as const) {
    expect(await answered(model, words)).toMatchObject({ stop_reason: 'end_turn', content: HELLO });
    expect(await answered(model, classified)).toMatchObject({ stop_reason: 'refusal' });
  }
});

const called = (...calls: readonly (readonly [id: string, argumentsText: string])[]) =>
  completion(
    {
      content: null,
      tool_calls: calls.map(([id, text]) => ({ id, type: 'function', function: { name: 'f', arguments: text } })),
    },
    'tool_calls',
  );

test('[MR-06] arguments that are no object are handed on under one name, with a loss', async () => {
  stand.say(plainAnswer(called(['a', '{"city": "Ro'])));
  const { json, headers } = await postMessages(stand, ask({ model: CANNED_CHAT, tools: TOOLS }));
  expect(json['content']).toEqual([{ type: 'tool_use', id: 'a', name: 'f', input: { _raw: '{"city": "Ro' } }]);
  expect(headers.get('x-trivium-losses')).toBe('content.tool_use.input');
});

test('[MR-06] calls to which the host gave one id have ids of their own', async () => {
  const json = await answered(CANNED_CHAT, called(['a', '{}'], ['b', '{}'], ['a', '{}']), { tools: TOOLS });
  expect((json['content'] as Json[]).map(({ id }) => id)).toEqual(['a', 'b', 'a_2']);
});

test('[MR-15] an answer without a stop reason is a failure, not an answer with null', async () => {
  stand.say(plainAnswer(messages(null)));
  expectError(await postMessages(stand, ask({ model: CANNED_MESSAGES })), 502, 'api_error');
});

test.each([
  [CANNED_MESSAGES, message([{ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }], { stop_reason: 'end_turn' })],
  [CANNED_CHAT, completion({ tool_calls: [callOf('call_1', 'f', '{}')] }, 'stop')],
  [CANNED_GOOGLE, generated([{ functionCall: { name: 'f', args: {} } }], 'STOP')],
])('[MR-12] when %s makes a call and reports end_turn or stop, the stop reason is tool_use', async (model, answer) => {
  const { stop_reason, content } = await answered(model, answer, { tools: TOOLS });
  expect(stop_reason).toBe('tool_use');
  expect(content).toContainEqual({ type: 'tool_use', id: expect.stringMatching(/\S/), name: 'f', input: {} });
});

describe('usage', () => {
  test('[MR-20] chat usage of 100 prompt tokens with 40 cached becomes 60 input and 40 cache read tokens', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 40 } };
    expect((await answered(CANNED_CHAT, completion({ content: WORDS }, 'stop', { usage })))['usage']).toMatchObject({
      input_tokens: 60,
      cache_read_input_tokens: 40,
      output_tokens: 7,
    });
  });

  test('[MR-18] a cache write total that is not the sum of its TTLs is corrected', async () => {
    const usage = {
      input_tokens: 1,
      output_tokens: 1,
      cache_creation_input_tokens: 99,
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
    };
    expect((await answered(CANNED_MESSAGES, message(HELLO, { usage })))['usage']).toMatchObject({
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
    });
  });

  test('[MR-19][MR-21][MR-22] usage fields that a host omits are completed', async () => {
    expect((await answered(CANNED_MESSAGES, message(HELLO)))['usage']).toEqual({
      input_tokens: 10,
      output_tokens: 5,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      server_tool_use: { web_search_requests: 0 },
      service_tier: 'standard',
    });
  });

  test('[MR-21][MR-22] search counts and the service tier are passed on unchanged', async () => {
    const usage = {
      input_tokens: 1,
      output_tokens: 1,
      server_tool_use: { web_search_requests: 2 },
      service_tier: 'priority',
    };
    expect((await answered(CANNED_MESSAGES, message(HELLO, { usage })))['usage']).toMatchObject({
      server_tool_use: { web_search_requests: 2 },
      service_tier: 'priority',
    });
  });
});

test.each(['too_many_requests', 'invalid_input', 'max_uses_exceeded', 'query_too_long', 'unavailable'])(
  '[MR-23][E-23] a search that failed with %s is part of a successful answer, with its code unchanged',
  async (code) => {
    const content = [serverToolUse(), webSearchResult({ content: webSearchError(code) }), ...HELLO];
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    expect((await answered(CANNED_MESSAGES, message(content), { tools }))['content']).toEqual(content);
  },
);

test('[E-23] a failure of the whole answer is an HTTP error, not a failed search', async () => {
  stand.say(plainAnswer({ type: 'error', error: { type: 'overloaded_error', message: 'Try later.' } }));
  const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
  expectError(await postMessages(stand, ask({ model: CANNED_MESSAGES, tools })), 529, 'overloaded_error');
});

test.each([
  [CANNED_MESSAGES, { type: 'error', error: { type: 'api_error', message: 'broken' } }],
  [CANNED_CHAT, { error: { message: 'broken' } }],
  [CANNED_GOOGLE, { error: { code: 500, message: 'broken', status: 'INTERNAL' } }],
])('[E-02] partly: an error body of %s under status 200 is an error to the caller', async (model, answer) => {
  stand.say(plainAnswer(answer));
  expectError(await postMessages(stand, ask({ model })), 502, 'api_error');
});
