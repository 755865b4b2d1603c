/** Routing preferences: which of three hosts are tried, in which order, and what follows a failure. */
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

/** The hosts that were tried; the last one answered, and the headers name it. */
async function route(members: Record<string, unknown>, down: readonly TrioHost[] = []): Promise<string> {
  const { reply, hosts } = await send(members, down);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('x-trivium-provider')).toBe(hosts.at(-1));
  expect(reply.headers.get('x-trivium-attempts')).toBe(String(hosts.length));
  return hosts.join(' ');
}

const preferring = (provider: Record<string, unknown>) => ({ provider });

test('without routing preferences hosts are tried in the order of the catalogue', async () => {
  expect(await route({})).toBe('east');
  expect(await route({}, ['east'])).toBe('east west');
});

describe('order', () => {
  test('[P-20] priority tries the hosts in order until one answers', async () => {
    expect(await route(preferring({ type: 'priority' }), ['east'])).toBe('east west');
    const listed = preferring({ type: 'priority', providers: ['north', 'west', 'east'] });
    expect(await route(listed)).toBe('north');
    expect(await route(listed, ['north'])).toBe('north west');
    expect(await route(listed, ['north', 'west'])).toBe('north west east');
    expect(await route({ ...listed, stream: true }, ['north'])).toBe('north west');
  });

  test.each([
    [['east', 'north'], { east: 5, north: 5 }],
    [['west', 'east'], { east: 5, west: 5 }],
  ])('[P-21] round_robin spreads ten calls over %j evenly', async (providers, expected) => {
    const counts: Record<string, number> = {};
    for (let call = 0; call < 10; call++) {
      const host = await route(preferring({ type: 'round_robin', providers }));
      counts[host] = (counts[host] ?? 0) + 1;
    }
    expect(counts).toEqual(expected);
  });

  test('[P-21] round_robin without a list rotates through all hosts and skips those that are down', async () => {
    const round = async (down: readonly TrioHost[]): Promise<string[]> => {
      const hosts: string[] = [];
      for (let call = 0; call < 3; call++) hosts.push(await route(preferring({ type: 'round_robin' }), down));
      return hosts.toSorted();
    };
    expect(await round([])).toEqual(['east', 'north', 'west']);
    expect(await round(['west'])).toEqual(['east', 'north', 'west north']);
  });
});

describe('listed providers', () => {
  test('[C-37] only the listed hosts are tried, in that order', async () => {
    expect(await route(preferring({ providers: ['west', 'north'] }))).toBe('west');
    expect(await route(preferring({ providers: ['north', 'west'] }), ['north'])).toBe('north west');
    expect(await route({ provider: { routing: { type: 'priority', providers: ['west'] } } })).toBe('west');
  });

  test.each([
    ['provider.providers', { providers: 'a' }],
    ['provider.providers[1]', { providers: ['east', 'nowhere'] }],
    ['provider.routing.providers[0]', { routing: { providers: ['nowhere'] } }],
    // A known provider, but not a host of this model.
    ['provider.providers', { providers: ['openai'] }],
  ])('[C-37] %s is refused in %j', (param, provider) => refused(stand, ask({ model: TRIO, provider }), param));

  test('hosts are named case-insensitively, in every preference and in a pin', async () => {
    expect(await route(preferring({ providers: ['North', 'WEST'] }), ['north'])).toBe('north west');
    expect(await route(preferring({ fallback: 'North' }), ['east'])).toBe('east north');
    expect(await route(preferring({ providers: ['West', 'north'], fallback: 'NORTH' }), ['west'])).toBe('west north');
    expect(await route(preferring({ only: ['North'] }))).toBe('north');
    expect(await route(preferring({ order: ['North'] }))).toBe('north');
    expect(await route(preferring({ ignore: ['East'] }))).toBe('west');
    expect(await route({ model: `${TRIO}:North` })).toBe('north');
  });

  test('[P-24] a host that is not listed is not tried, even when all listed hosts fail', async () => {
    expect(await route(preferring({ providers: ['west'] }))).toBe('west');
    const { reply, hosts } = await send(preferring({ providers: ['west'] }), ['west']);
    expect([reply.status, hosts]).toEqual([502, ['west']]);
  });

  test('the request record lists the excluded hosts, and why', async () => {
    const { reply } = await send(preferring({ providers: ['west', 'north'], fallback: 'false' }));
    expect((await recordOf(stand, reply)).leftOut).toEqual([
      { provider: 'east', modelId: TRIO, why: 'not-among-providers' },
      { provider: 'north', modelId: TRIO, why: 'no-fallback' },
    ]);
  });
});

describe('fallback', () => {
  test.each(['false', false])('[C-38] [P-25] fallback %j never tries another host', async (fallback) => {
    const { reply, hosts } = await send(preferring({ fallback }), ['east']);
    expect([reply.status, hosts]).toEqual([502, ['east']]);
    expect(await route(preferring({ fallback }))).toBe('east');
  });

  test.each(['true', true])('[C-38] [P-25] fallback %j tries the other hosts', async (fallback) => {
    expect(await route(preferring({ fallback }), ['east', 'west'])).toBe('east west north');
  });

  test('[C-38] [P-25] fallback with a host’s name tries that host, and no other', async () => {
    expect(await route(preferring({ fallback: 'north' }), ['east'])).toBe('east north');
    const { reply, hosts } = await send(preferring({ fallback: 'north' }), ['east', 'north']);
    expect([reply.status, hosts]).toEqual([502, ['east', 'north']]);
  });

  test.each([[5], ['nowhere'], [['north']]])('[C-38] fallback %j is refused', (fallback) =>
    refused(stand, ask({ model: TRIO, provider: { fallback } }), 'provider.fallback'),
  );

  test('a fallback host outside the list of providers is refused', () =>
    refused(stand, ask({ model: TRIO, provider: { providers: ['west'], fallback: 'north' } }), 'provider.fallback'));
});

describe('models', () => {
  const models = (available_models: readonly string[], preference?: string) => ({
    model_routing_config: { available_models, ...(preference !== undefined && { preference }) },
    provider: { providers: ['west'] },
  });

  test('[C-39] [P-26] the preferred model is used, another of the list when it is down, and none outside the list', async () => {
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

  test('an unknown model is 404, even with a list of models', async () => {
    const { reply, hosts } = await send({ ...models([TRIO]), model: 'trio/none' });
    expect([reply.status, hosts]).toEqual([404, []]);
  });

  test('[CR-20] the answer has the name of the model that served', async () => {
    const both = models([TRIO, OTHER_TRIO]);
    expect((await send(both)).reply.json['model']).toBe(TRIO);
    stand.simulator.arm('status=500', { model: 'one', times: 1 });
    const { reply } = await send(both);
    expect(reply.json['model']).toBe(OTHER_TRIO);
    expect(await recordOf(stand, reply)).toMatchObject({ modelId: OTHER_TRIO, provider: 'west' });
  });

  test('the models that a key allows bound every routing preference', async () => {
    const headers = { authorization: `Bearer ${LIMITED_KEY}` };
    const body = (available_models: readonly string[]) =>
      ask({ model: TRIO, model_routing_config: { available_models } });
    const [reply, asked] = await askedBy(stand, () => postChat(stand, body([TRIO, 'openai/gpt-4o']), headers));
    expect([reply.status, asked.map(({ model }) => model)]).toEqual([200, ['gpt-4o']]);
    expect((await postChat(stand, body([TRIO]), headers)).status).toBe(403);
  });
});
