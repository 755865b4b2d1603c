/** The cap that is sent to a host whose format requires one, for own models whose limit was not set. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStand, postChat, type Stand } from '../../support/stand.ts';

const at = [{ provider: 'anthropic', dialect: 'anthropic-messages', upstreamModel: 'claude-sonnet-4-5' }];
let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: () => ({
      providers: {},
      models: [
        { id: 'own/unlimited', contextLength: 32_768, endpoints: at },
        { id: 'own/limited', contextLength: 32_768, maxOutputTokens: 8000, endpoints: at },
      ],
    }),
  });
});
afterAll(() => stand.close());

test.each([
  ['own/unlimited', {}, 16_384],
  ['own/unlimited', { max_tokens: 30_000 }, 30_000],
  ['own/limited', {}, 8000],
])('%s with %j is sent the cap %d, which leaves room for the prompt', async (model, members, cap) => {
  const reply = await postChat(stand, { model, messages: [{ role: 'user', content: 'Hello' }], ...members });
  expect([reply.status, reply.headers.get('x-trivium-losses')]).toEqual([200, null]);
  expect(JSON.parse(stand.simulator.truth.last()?.bodyText ?? '{}')).toMatchObject({ max_tokens: cap });
});
