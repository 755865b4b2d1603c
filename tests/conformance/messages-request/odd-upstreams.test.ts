/** Request parameters that the gateway enforces when the upstream ignores them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CannedStand, plainAnswer } from '../../support/canned-upstream.ts';
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
import { ask, type Block, type Json, postMessages, refused, user } from '../../support/messages-probe.ts';

let stand: CannedStand;
beforeAll(async () => {
  stand = await openMessagesCannedStand();
});
afterAll(() => stand.close());

const TOOLS = [{ name: 'f', input_schema: { type: 'object' } }];

test.each([
  [
    CANNED_MESSAGES,
    message(
      ['toolu_1', 'toolu_2'].map((id) => ({ type: 'tool_use', id, name: 'f', input: { id } })),
      { stop_reason: 'tool_use' },
    ),
  ],
  [CANNED_CHAT, completion({ tool_calls: ['1', '2'].map((id) => callOf(`call_${id}`, 'f', '{}')) }, 'tool_calls')],
  [
    CANNED_GOOGLE,
    generated([{ functionCall: { name: 'f', args: {} } }, { functionCall: { name: 'f', args: {} } }], 'STOP'),
  ],
])('[M-19] when %s makes two calls though one was requested, one is returned', async (model, answer) => {
  stand.say(plainAnswer(answer));
  const calls = async (tool_choice: Json) => {
    const { json } = await postMessages(stand, ask({ model, tools: TOOLS, tool_choice }));
    expect(json['stop_reason']).toBe('tool_use');
    return (json['content'] as Block[]).filter(({ type }) => type === 'tool_use').length;
  };
  expect(await calls({ type: 'auto', disable_parallel_tool_use: true })).toBe(1);
  expect(await calls({ type: 'auto', disable_parallel_tool_use: false })).toBe(2);
  expect(await calls({ type: 'auto' })).toBe(2);
});

test('[N-01] 100000 messages pass and 100001 are refused', async () => {
  stand.say(plainAnswer(message([{ type: 'text', text: 'ok' }])));
  const talk = (count: number) =>
    Array.from({ length: count }, (_, at) => (at % 2 === 0 ? user('a') : { role: 'assistant', content: 'b' }));
  const { status } = await postMessages(stand, ask({ model: CANNED_MESSAGES, messages: talk(100_000) }));
  expect(status).toBe(200);
  await refused(stand, ask({ model: CANNED_MESSAGES, messages: talk(100_001) }), 'messages');
});
