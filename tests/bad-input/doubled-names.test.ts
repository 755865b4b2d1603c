/** Decision 0022: names that stand twice deeper in a body. Apart from the other bodies, whose file measures time. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStand, postChat, type Stand } from '../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const TWICE = '{"role":"user","content":"first value","content":"second value"}';
const send = (model: string) => postChat(stand, `{"model":"${model}","messages":[${TWICE}]}`);

test('a host of the same format gets them as they came, and its refusal is the caller’s 400', async () => {
  expect((await send('openai/gpt-4o')).status).toBe(400);
  expect(stand.simulator.truth.last()?.bodyText).toContain(TWICE);
});

test('a host of another format gets the last value alone', async () => {
  expect((await send('anthropic/claude-sonnet-4-5')).status).toBe(200);
  expect(stand.simulator.truth.last()?.bodyText).toContain('second value');
  expect(stand.simulator.truth.last()?.bodyText).not.toContain('first value');
});
