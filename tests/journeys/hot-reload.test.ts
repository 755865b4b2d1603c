// Configuration and catalogue change while requests run: no request is cut, and the next request uses the new ones.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { headOf, openChat, readStream } from '../support/chat-stream.ts';
import { asking, LANES, type LaneRoad } from '../support/lanes.ts';
import { KEY, openStand, postChat, type Stand, type StandOptions, standConfig } from '../support/stand.ts';

const road = LANES[0] as LaneRoad;
const NEW_KEY = 'sk-trivium-later-0123456789abcdefghijklmnopqrstuvw';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand();
});
afterEach(() => stand.close());

const reload = (options: StandOptions): Promise<void> =>
  stand.gateway.reload(standConfig(stand.simulator.url, options));
const listed = async (): Promise<string[]> => {
  const reply = (await (await fetch(`${stand.chatUrl}/models`)).json()) as { data: { id: string }[] };
  return reply.data.map(({ id }) => id);
};

test('keys, aliases and models are those of the newest configuration', async () => {
  const later = { model: 'later/any', messages: [{ role: 'user', content: 'Hi' }] };
  expect((await postChat(stand, later)).status).toBe(404);
  expect((await postChat(stand, asking(road, ''), { authorization: `Bearer ${NEW_KEY}` })).status).toBe(401);
  await reload({
    config: () => ({ keys: [{ name: 'later', secret: NEW_KEY }], aliases: { short: 'later/any' } }),
    alsoHosts: (url) => ({
      providers: { later: { dialect: 'openai-chat', baseUrl: `${url}/compatible@later/v1`, credential: 'sk-later' } },
      models: [
        {
          id: 'later/any',
          contextLength: 8000,
          maxOutputTokens: 1000,
          endpoints: [{ provider: 'later', upstreamModel: 'any' }],
        },
      ],
    }),
  });
  const withNewKey = { authorization: `Bearer ${NEW_KEY}` };
  expect((await postChat(stand, later)).status).toBe(401);
  expect((await postChat(stand, later, withNewKey)).status).toBe(200);
  expect(stand.simulator.truth.last()).toMatchObject({ host: 'later' });
  const aliased = await postChat(stand, { ...later, model: 'short' }, withNewKey);
  expect(aliased.status).toBe(200);
  expect(await listed()).toContain('later/any');
  await reload({});
  expect(await listed()).not.toContain('later/any');
  expect((await postChat(stand, later)).status).toBe(404);
});

test('a running stream finishes unchanged, even when its host and key are removed', async () => {
  const sent = openChat(stand, asking(road, 'scenario=text-long words=60 tps=150', { stream: true }));
  const response = await headOf(sent);
  const whole = readStream(response);
  await new Promise((resolve) => response.once('data', resolve));
  await reload({ config: () => ({ keys: [{ name: 'later', secret: NEW_KEY }], providers: {}, models: [] }) });
  expect((await postChat(stand, asking(road, ''))).status).toBe(401);
  const reply = await whole;
  expect(reply.complete).toBe(true);
  expect(reply.text).toContain('word60');
  expect(reply.frames.at(-1)).toBe('[DONE]');
  expect(reply.chunks.at(-1)?.model).toBe(road.model);
});

test('every one of two hundred requests is answered during fifty reloads', async () => {
  const statuses: number[] = [];
  let left = 200;
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const reply = await postChat(stand, asking(road, 'scenario=text-long words=5'));
      statuses.push(reply.status);
    }
  };
  const operator = async (): Promise<void> => {
    for (let round = 0; round < 50; round++)
      await reload({ config: () => ({ aliases: { [`alias-${round}`]: road.model } }) });
  };
  await Promise.all([operator(), ...Array.from({ length: 8 }, caller)]);
  expect(statuses).toHaveLength(200);
  expect(new Set(statuses)).toEqual(new Set([200]));
  const aliased = await postChat(stand, { ...asking(road, ''), model: 'alias-49' });
  expect(aliased.status).toBe(200);
  expect((await postChat(stand, { ...asking(road, ''), model: 'alias-48' })).status).toBe(404);
});

test('an invalid configuration changes nothing', async () => {
  const broken = standConfig(stand.simulator.url, {});
  const failing = { ...broken, catalogue: { ...broken.catalogue, models: [{ id: 'x/y' }] } };
  await expect(stand.gateway.reload(failing as never)).rejects.toThrow();
  expect((await postChat(stand, asking(road, ''), { authorization: `Bearer ${KEY}` })).status).toBe(200);
});
