import { afterAll, beforeAll, expect, test } from 'vitest';
import { entries, get, idsOf, LIST_PATHS, listed, PROTOCOLS } from '../../support/model-lists.ts';
import { openStand, postChat, type Stand } from '../../support/stand.ts';

/** A shipped model that its provider will retire. */
const RETIRING = { id: 'openai/gpt-4.1', day: '2027-01-14' };

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: (url) => ({
      providers: { groq: {}, spare: { dialect: 'openai-chat', baseUrl: `${url}/compatible/v1` } },
      models: [
        { id: 'lonely/one', endpoints: [{ provider: 'mistral' }] },
        { id: 'lonely/two', endpoints: [{ provider: 'mistral' }, { provider: 'spare' }] },
        { id: 'keyless/one', endpoints: [{ provider: 'groq' }] },
        { id: 'keyless/two', endpoints: [{ provider: 'spare' }] },
      ],
    }),
  });
});
afterAll(() => stand.close());

test('[L-36] a retiring model is marked in every list and still callable', async () => {
  const { chat, messages, genai } = await listed(stand, RETIRING.id);
  for (const name of [chat['display_name'], messages['display_name'], genai['displayName']]) {
    expect(name).toContain(`retiring ${RETIRING.day}`);
    expect(name).toBe(chat['display_name']);
  }
  expect(genai['description']).toContain(RETIRING.day);
  expect((await listed(stand, 'compatible/any')).chat['display_name']).not.toContain('retiring');
  const reply = await postChat(stand, { model: RETIRING.id, messages: [{ role: 'user', content: 'hi' }] });
  expect(reply.status).toBe(200);
});

test.each(PROTOCOLS)(
  '[L-37] the %s list omits models without a configured host or credential, and they cannot be called',
  async (protocol) => {
    const ids = idsOf(await entries(stand, LIST_PATHS[protocol]));
    expect(ids).toEqual(expect.arrayContaining(['lonely/two', 'keyless/two']));
    for (const absent of ['lonely/one', 'keyless/one']) {
      expect(ids).not.toContain(absent);
      expect((await get(stand, `${LIST_PATHS[protocol]}/${absent}`)).status).toBe(404);
      expect((await postChat(stand, { model: absent, messages: [{ role: 'user', content: 'hi' }] })).status).toBe(404);
    }
  },
);
