// M15: a conversation with more messages than a function can take arguments is validated like any other.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../main.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const COUNT = 150_000;
const turns = <T>(user: T, assistant: T): T[] =>
  Array.from({ length: COUNT + 1 }, (_, at) => (at % 2 === 0 ? user : assistant));

test.each([
  [
    '/v1/chat/completions',
    {
      model: 'gpt-4o',
      messages: turns<object>({ role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }),
    },
  ],
  [
    '/v1/responses',
    {
      model: 'gpt-4o',
      input: turns<object>({ role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }),
    },
  ],
])('%s', async (path, body) => {
  const response = await fetch(`${simulator.url}/openai${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-any' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  expect([response.status, text.slice(0, 200)]).toEqual([200, expect.any(String)]);
});
