/** What wishes do: which of three hosts are asked, in which order, and what follows a failure. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, recordOf, refused } from '../../support/chat-probe.ts';
import { type ChatReply, LIMITED_KEY, postChat, type Stand } from '../../support/stand.ts';
import { askedBy, OTHER_TRIO, openThreeHosts, TRIO, type TrioHost, whileDown } from '../../support/three-hosts.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openThreeHosts();
});
afterAll(() => stand.close());

type Sent = { readonly reply: ChatReply; readonly hosts: readonly string[]; readonly models: readonly unknown[] };

async function send(members: Record<string, unknown>, down: readonly TrioHost[] = []): Promise<Sent> {
  const [reply, asked] = await askedBy(stand, () =>
    whileDown(stand, down, () => postChat(stand, ask({ model: TRIO, ...members }))),
  );
  return { reply, hosts: asked.map(({ host }) => host), models: asked.map(({ model }) => model) };
}

/** Answered by the last host asked, and the headers say so. */
async function route(members: Record<string, unknown>, down: readonly TrioHost[] = []): Promise<string> {
  const { reply, hosts } = await send(members, down);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('x-trivium-provider')).toBe(hosts.at(-1));
  expect(reply.headers.get('x-trivium-attempts')).toBe(String(hosts.length));
  return hosts.join(' ');
}

const wish = (provider: Record<string, unknown>) => ({ provider });

test('without responseOptions the catalogue’s order holds', async () => {
  expect(await route({})).toBe('east');
  expect(await route({}, ['east'])).toBe('east west');
});

describe('order', () => {
  test('[P-20] priority asks in order until one answers', async () => {
    expect(await route(wish({ type: 'priority' }), ['east'])).toBe('east west');
    const listed = wish({ type: 'priority', providers: ['north', 'west', 'east'] });
    expect(await route(listed)).toBe('north');
    expect(await route(listed, ['north'])).toBe('north west');
    expect(await route(listed, ['north', 'west'])).toBe('north west east');
    expect(await route({ ...listed, stream: true }, ['north'])).toBe('north west');
  });

  test.each([
    [['east', 'north'], { east: 5, north: 5 }],
    [['west', 'east'], { east: 5, west: 5 }],
  ])('[P-21] ten calls over %j are five each', async (providers, expected) => {
    const counts: Record<string, number> = {};
    for (let call = 0; call < 10; call++) {
      const host = await route(wish({ type: 'round_robin', providers }));
      counts[host] = (counts[host] ?? 0) + 1;
    }
    expect(counts).toEqual(expected);
  });

  test('[P-21] without a list every host has its turn, and whoever is down is passed over', async () => {
    const round = async (down: readonly TrioHost[]): Promise<string[]> => {
      const hosts: string[] = [];
      for (let call = 0; call < 3; call++) hosts.push(await route(wish({ type: 'round_robin' }), down));
      return hosts.toSorted();
    };
    expect(await round([])).toEqual(['east', 'north', 'west']);
    expect(await round(['west'])).toEqual(['east', 'north', 'west north']);
  });
});

describe('only these', () => {
  test('[C-37] listed hosts are asked in that order, and no other', async () => {
    expect(await route(wish({ providers: ['west', 'north'] }))).toBe('west');
    expect(await route(wish({ providers: ['north', 'west'] }), ['north'])).toBe('north west');
    expect(await route({ provider: { routing: { type: 'priority', providers: ['west'] } } })).toBe('west');
  });

  test.each([
    ['provider.providers', { providers: 'a' }],
    ['provider.providers[1]', { providers: ['east', 'nowhere'] }],
    ['provider.routing.providers[0]', { routing: { providers: ['nowhere'] } }],
    // Known here, but not for this model.
    ['provider.providers', { providers: ['openai'] }],
  ])('[C-37] %s is refused in %j', (param, provider) => refused(stand, ask({ model: TRIO, provider }), param));

  test('[P-24] whoever is not listed is not asked, even where all who are have failed', async () => {
    expect(await route(wish({ providers: ['west'] }))).toBe('west');
    const { reply, hosts } = await send(wish({ providers: ['west'] }), ['west']);
    expect([reply.status, hosts]).toEqual([502, ['west']]);
  });

  test('the record says who was left out, and why', async () => {
    const { reply } = await send(wish({ providers: ['west', 'north'], fallback: 'false' }));
    expect((await recordOf(stand, reply)).leftOut).toEqual([
      { provider: 'east', modelId: TRIO, why: 'not-among-providers' },
      { provider: 'north', modelId: TRIO, why: 'no-fallback' },
    ]);
  });
});

describe('fallback', () => {
  test.each(['false', false])('[C-38] [P-25] %j never moves on', async (fallback) => {
    const { reply, hosts } = await send(wish({ fallback }), ['east']);
    expect([reply.status, hosts]).toEqual([502, ['east']]);
    expect(await route(wish({ fallback }))).toBe('east');
  });

  test.each(['true', true])('[C-38] [P-25] %j moves on', async (fallback) => {
    expect(await route(wish({ fallback }), ['east', 'west'])).toBe('east west north');
  });

  test('[C-38] [P-25] a host’s name: that one steps in, and nobody else', async () => {
    expect(await route(wish({ fallback: 'north' }), ['east'])).toBe('east north');
    const { reply, hosts } = await send(wish({ fallback: 'north' }), ['east', 'north']);
    expect([reply.status, hosts]).toEqual([502, ['east', 'north']]);
  });

  test.each([[5], ['nowhere'], [['north']]])('[C-38] %j is refused', (fallback) =>
    refused(stand, ask({ model: TRIO, provider: { fallback } }), 'provider.fallback'),
  );

  test('a host outside the list may not step in', () =>
    refused(stand, ask({ model: TRIO, provider: { providers: ['west'], fallback: 'north' } }), 'provider.fallback'));
});

describe('models', () => {
  const models = (available_models: readonly string[], preference?: string) => ({
    model_routing_config: { available_models, ...(preference !== undefined && { preference }) },
    provider: { providers: ['west'] },
  });

  test('[C-39] [P-26] the preferred one is used, another of the list when it is down, none outside it', async () => {
    const both = models([TRIO, OTHER_TRIO], OTHER_TRIO);
    expect((await send(both)).models).toEqual(['two']);
    const [reply, asked] = await askedBy(stand, () => {
      stand.simulator.arm('status=500', { model: 'two', times: 1 });
      return postChat(stand, ask({ model: TRIO, ...both }));
    });
    expect([reply.status, asked.map(({ model }) => model)]).toEqual([200, ['two', 'one']]);
    const alone = await send(models([OTHER_TRIO]), ['west']);
    expect([alone.reply.status, alone.models]).toEqual([502, ['two']]);
  });

  test('[C-39] without a preference the model of the call comes first, if it is in the list', async () => {
    expect((await send(models([OTHER_TRIO, TRIO]))).models).toEqual(['one']);
    expect((await send(models([OTHER_TRIO]))).models).toEqual(['two']);
  });

  test.each([
    ['model_routing_config.available_models', { available_models: 'x' }],
    ['model_routing_config.available_models[1]', { available_models: [TRIO, 'trio/none'] }],
    ['model_routing_config.preference', { preference: 'trio/none' }],
    ['model_routing_config.preference', { available_models: [TRIO], preference: OTHER_TRIO }],
  ])('[C-39] %s is refused in %j', (param, model_routing_config) =>
    refused(stand, ask({ model: TRIO, model_routing_config }), param),
  );

  test('a list does not make up for a model that does not exist', async () => {
    const { reply, hosts } = await send({ ...models([TRIO]), model: 'trio/none' });
    expect([reply.status, hosts]).toEqual([404, []]);
  });

  test('[CR-20] the answer names the model that served', async () => {
    const both = models([TRIO, OTHER_TRIO]);
    expect((await send(both)).reply.json['model']).toBe(TRIO);
    stand.simulator.arm('status=500', { model: 'one', times: 1 });
    const { reply } = await send(both);
    expect(reply.json['model']).toBe(OTHER_TRIO);
    expect(await recordOf(stand, reply)).toMatchObject({ modelId: OTHER_TRIO, provider: 'west' });
  });

  test('a key’s list of models holds for every wish', async () => {
    const headers = { authorization: `Bearer ${LIMITED_KEY}` };
    const body = (available_models: readonly string[]) =>
      ask({ model: TRIO, model_routing_config: { available_models } });
    const [reply, asked] = await askedBy(stand, () => postChat(stand, body([TRIO, 'openai/gpt-4o']), headers));
    expect([reply.status, asked.map(({ model }) => model)]).toEqual([200, ['gpt-4o']]);
    expect((await postChat(stand, body([TRIO]), headers)).status).toBe(403);
  });
});
