/** Tool calls that hosts of OpenAI's formats would refuse: without a result, or with an id longer than theirs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OWN, post, responsesHosts } from '../support/responses-probe.ts';
import { KEY, openStand, postChat, type Stand } from '../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

type Reply = { readonly status: number; readonly headers: Headers; readonly text: string };

const LONG = `toolu_${'x'.repeat(58)}`;
const MODELS = ['openai/gpt-4o', OWN, 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'];

/** The same conversation in three protocols: two calls, the results of `answered`, then the user goes on. */
const CALLERS: Readonly<
  Record<string, (model: string, ids: readonly string[], answered: readonly string[]) => Promise<Reply>>
> = {
  chat: (model, ids, answered) =>
    postChat(stand, {
      model,
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: null,
          tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })),
        },
        ...answered.map((tool_call_id) => ({ role: 'tool', tool_call_id, content: 'three roads' })),
        { role: 'user', content: 'Go on.' },
      ],
    }),
  responses: (model, ids, answered) =>
    post(stand, {
      model,
      input: [
        { role: 'user', content: 'Hi' },
        ...ids.map((call_id) => ({ type: 'function_call', call_id, name: 'look', arguments: '{}' })),
        ...answered.map((call_id) => ({ type: 'function_call_output', call_id, output: 'three roads' })),
        { role: 'user', content: 'Go on.' },
      ],
    }),
  messages: async (model, ids, answered) => {
    const response = await fetch(`${stand.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({
        model,
        max_tokens: 100,
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} })) },
          {
            role: 'user',
            content: [
              ...answered.map((tool_use_id) => ({ type: 'tool_result', tool_use_id, content: 'three roads' })),
              { type: 'text', text: 'Go on.' },
            ],
          },
        ],
      }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  },
};

const PAIRS = Object.keys(CALLERS).flatMap((caller) => MODELS.map((model) => [caller, model] as const));
/** Calls without result are the messages protocol's own error at its own host. */
const REPAIRED = PAIRS.filter(([caller, model]) => caller !== 'messages' || !model.startsWith('anthropic/'));

test.each(REPAIRED)('a call without result does not end a conversation: %s to %s', async (caller, model) => {
  const reply = await CALLERS[caller]?.(model, ['call_1', 'call_2'], ['call_1']);
  expect(reply?.status, reply?.text).toBe(200);
  expect(reply?.headers.get('x-trivium-losses')).toMatch(/messages|input/);
  expect(stand.simulator.truth.last()?.bodyText).toContain('No result was provided for this call.');
  expect(stand.simulator.truth.last()?.bodyText).toContain('three roads');
});

test.each(PAIRS)('ids of 64 characters work: %s to %s', async (caller, model) => {
  const ids = [LONG, `${LONG.slice(0, -1)}y`];
  const reply = await CALLERS[caller]?.(model, ids, ids);
  expect(reply?.status, reply?.text).toBe(200);
  expect(reply?.headers.get('x-trivium-losses')).toBeNull();
});
