/** CR: a refusal in words, which clients read from `message.refusal`, from hosts of both formats that have one. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, user } from '../../support/chat-probe.ts';
import { OWN, responsesHosts } from '../../support/responses-probe.ts';
import { openStand, postChat, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

type Chunk = { readonly choices?: readonly { delta: { refusal?: string }; finish_reason: string | null }[] };

const messages = [user('Hi @simulate scenario=refusal')];

test.each(['openai/gpt-4o', OWN])('[CR-05] a refusal in words of %s ends with stop', async (model) => {
  const { status, json } = await postChat(stand, ask({ model, messages }));
  expect(status).toBe(200);
  expect(json['choices']).toMatchObject([
    { finish_reason: 'stop', message: { content: null, refusal: expect.stringMatching(/./) } },
  ]);
  const { text } = await postChat(stand, ask({ model, messages, stream: true }));
  const chunks = text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Chunk);
  const choices = chunks.flatMap((chunk) => chunk.choices ?? []);
  expect(choices.map(({ delta }) => delta.refusal ?? '').join('')).toMatch(/./);
  expect(choices.at(-1)?.finish_reason).toBe('stop');
});
