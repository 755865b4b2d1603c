/** Decision 0022: duplicate keys deeper in a body. Not in the file of the other bodies, which measures time. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStand, postChat, type Stand } from '../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const TWICE = '{"role":"user","content":"first value","content":"second value"}';
const send = (model: string) => postChat(stand, `{"model":"${model}","messages":[${TWICE}]}`);

test('a host of the same dialect gets duplicate keys unchanged, and its refusal is a 400 for the caller', async () => {
  expect((await send('openai/gpt-4o')).status).toBe(400);
  expect(stand.simulator.truth.last()?.bodyText).toContain(TWICE);
});

test('a host of another dialect gets only the last value of a duplicate key', async () => {
  expect((await send('anthropic/claude-sonnet-4-5')).status).toBe(200);
  expect(stand.simulator.truth.last()?.bodyText).toContain('second value');
  expect(stand.simulator.truth.last()?.bodyText).not.toContain('first value');
});
