// Custom tools (any text as input) complete a round trip at every host, and survive a change of model.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post, responsesHosts } from '../support/responses-probe.ts';
import { openStand, postChat, STRICT_KEY, type Stand } from '../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

type Item = Readonly<Record<string, unknown>>;
const TEXT = 'ls "three roads"\n# café';
const TASK = 'Look around. @simulate scenario=tool-single';
const TOOLS = [{ type: 'custom', name: 'shell' }];

test.each([
  ['openai/gpt-5-r', false],
  ['openai/gpt-5-r', true],
  ['openai/gpt-5', false],
  ['openai/gpt-5', true],
])('Responses callers complete a custom tool loop at %s, streamed: %s', async (model, stream) => {
  const input: Item[] = [{ role: 'user', content: TASK }];
  const reply = await post(stand, { model, input, tools: TOOLS, stream, store: false });
  expect([reply.status, reply.headers.get('x-trivium-losses')], reply.text).toEqual([200, null]);
  const response = stream ? completed(reply.text) : reply.json;
  const call = (response['output'] as Item[]).find(({ type }) => type === 'custom_tool_call');
  expect(call).toMatchObject({ name: 'shell', input: TEXT });
  if (stream) expect(reply.text).toContain('response.custom_tool_call_input.delta');
  const result = { type: 'custom_tool_call_output', call_id: call?.['call_id'], output: 'three of them' };
  const next = await post(stand, { model, input: [...input, ...(response['output'] as Item[]), result], tools: TOOLS });
  expect(next.status, next.text).toBe(200);
  expect(next.text).toContain('three of them');
});

const completed = (text: string): Item => {
  const data = text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)) as Item);
  return data.find(({ type }) => type === 'response.completed')?.['response'] as Item;
};

test('chat callers complete a custom tool loop', async () => {
  const tools = [{ type: 'custom', custom: { name: 'shell' } }];
  for (const model of ['openai/gpt-5', 'openai/gpt-5-r']) {
    const reply = await postChat(stand, { model, messages: [{ role: 'user', content: TASK }], tools });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json['choices']).toMatchObject([
      { message: { tool_calls: [{ type: 'custom', custom: { name: 'shell', input: TEXT } }] } },
    ]);
  }
});

test('a name on a tool message is accepted (M6)', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } };
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', name: 'look', content: 'ok' },
  ];
  const reply = await postChat(stand, { model: 'openai/gpt-4o', messages });
  expect([reply.status, reply.headers.get('x-trivium-losses')]).toEqual([200, null]);
  expect(stand.simulator.truth.last()?.body).toMatchObject({ messages });
});

const GRAMMAR = { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch"' };
const PATCH = { type: 'custom', name: 'apply_patch', description: 'Edits files.', format: GRAMMAR };
const EVERY_FORMAT = ['openai/gpt-5-r', 'compatible/any', 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'];
const ELSEWHERE = EVERY_FORMAT.slice(1);

test.each(ELSEWHERE.flatMap((model) => [false, true].map((stream) => [model, stream] as const)))(
  'at %s a custom tool is a function and is turned back, streamed: %s',
  async (model, stream) => {
    const input: Item[] = [{ role: 'user', content: TASK }];
    const reply = await post(stand, { model, input, tools: TOOLS, stream, store: false });
    expect([reply.status, reply.headers.get('x-trivium-losses')], reply.text).toEqual([200, null]);
    const response = stream ? completed(reply.text) : reply.json;
    const call = (response['output'] as Item[]).find(({ type }) => type === 'custom_tool_call');
    expect(call).toMatchObject({ name: 'shell', input: 'example' });
    expect(reply.text).not.toContain('function_call');
    if (stream) expect(reply.text).toContain('response.custom_tool_call_input.delta');
    expect(stand.simulator.truth.last()?.bodyText).toContain('"required":["input"]');
  },
);

test('a conversation goes from model to model after a custom call (Codex: apply_patch)', async () => {
  const input: Item[] = [{ role: 'user', content: TASK }];
  for (const model of [...EVERY_FORMAT, 'openai/gpt-5-r']) {
    const asked = { model, input, tools: [PATCH], stream: true, store: false };
    const reply = await post(stand, asked);
    expect(reply.status, `${model}: ${reply.text}`).toBe(200);
    // A grammar is not enforced by a function: that is the only loss.
    const losses = reply.headers.get('x-trivium-losses');
    expect(losses, model).toBe(model === 'openai/gpt-5-r' ? null : 'tools');
    const output = completed(reply.text)['output'] as Item[];
    const call = output.find(({ type }) => type === 'custom_tool_call');
    expect(call, model).toMatchObject({ name: 'apply_patch' });
    const result = { type: 'custom_tool_call_output', call_id: call?.['call_id'], output: `done by ${model}` };
    const next = [
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: TASK },
    ];
    input.push(...output.filter(({ type }) => type !== 'reasoning'), result, ...next);
  }
  const strict = { authorization: `Bearer ${STRICT_KEY}` };
  expect((await post(stand, { model: 'compatible/any', input, tools: [PATCH] }, strict)).status).toBe(400);
  expect((await post(stand, { model: 'compatible/any', input, tools: TOOLS }, strict)).status).toBe(200);
});
