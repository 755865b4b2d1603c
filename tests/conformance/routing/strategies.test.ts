/** Every routing strategy and factor, with three hosts that differ in price, speed and health. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ask, recordOf, refused } from '../../support/chat-probe.ts';
import { type ChatReply, postChat, type Stand } from '../../support/stand.ts';
import { askedBy, openThreeHosts, TRIO, type TrioHost, whileDown, whileSlow } from '../../support/three-hosts.ts';

// One stand per test: latencies measured in one test must not affect the next.
let stand: Stand;
beforeEach(async () => {
  stand = await openThreeHosts();
});
afterEach(() => stand.close());

/** Latency differences (ms) that are larger than the noise of a busy machine. East is the first, and the slowest. */
const SLOWNESS = { east: 1200, west: 700 } as const;

const send = (provider: object, more: object = {}): Promise<ChatReply> =>
  postChat(stand, ask({ model: TRIO, provider, ...more }));

/** The hosts that served this many calls, one after the other. */
async function hosts(provider: object, calls: number, more: object = {}): Promise<string[]> {
  const [, asked] = await askedBy(stand, async () => {
    for (let call = 0; call < calls; call++) expect((await send(provider, more)).status).toBe(200);
  });
  return asked.map(({ host }) => host);
}

/** Three concurrent calls go to three hosts, since a host that is being probed gets no second call. */
async function measureAll(provider: object, more: object = {}): Promise<void> {
  const [, asked] = await askedBy(stand, () => Promise.all([1, 2, 3].map(() => send(provider, more))));
  expect(asked.map(({ host }) => host).toSorted()).toEqual(['east', 'north', 'west']);
}

const LATENCY = { type: 'least_latency' };
const SPEED = { primary_factor: 'speed' };

describe.each([false, true])('time to the first token, streamed: %j', (stream) => {
  test('[P-22] [C-35] least_latency routes to the faster of two hosts, and of three never to the slowest', async () => {
    await whileSlow(stand, SLOWNESS, async () => {
      await measureAll(LATENCY, { stream });
      expect(await hosts({ ...LATENCY, providers: ['west', 'north'] }, 3, { stream })).toEqual(Array(3).fill('north'));
      expect(await hosts({ ...LATENCY, providers: ['east', 'north'] }, 3, { stream })).toEqual(Array(3).fill('north'));
      expect(await hosts(LATENCY, 4, { stream })).not.toContain('east');
    });
  });

  test('[P-23] [C-36] speed routes to the fastest host, and to the next fastest when that is down', async () => {
    await whileSlow(stand, SLOWNESS, async () => {
      await measureAll(SPEED, { stream });
      expect(await hosts(SPEED, 3, { stream })).toEqual(Array(3).fill('north'));
    });
    expect(await whileDown(stand, ['north'], () => hosts(SPEED, 1, { stream }))).toEqual(['north', 'west']);
  });
});

describe('order from the catalogue', () => {
  test.each([
    ['cost', ['west', 'north', 'east']],
    ['quality', ['east', 'north', 'west']],
  ])('[P-23] [C-36] %s tries the hosts in this order: %j', async (primary_factor, order) => {
    const asked = async (down: readonly string[]): Promise<string[]> =>
      whileDown(stand, down as TrioHost[], () => hosts({ primary_factor, providers: ['west', 'east', 'north'] }, 1));
    expect(await asked([])).toEqual(order.slice(0, 1));
    expect(await asked(order.slice(0, 1))).toEqual(order.slice(0, 2));
    expect(await asked(order.slice(0, 2))).toEqual(order);
  });
});

test('[C-35] priority keeps the order of the list, round_robin rotates through it', async () => {
  const list = ['north', 'west', 'east'];
  expect(await hosts({ type: 'priority', providers: list }, 2)).toEqual(['north', 'north']);
  expect(await hosts({ type: 'round_robin', providers: list }, 4)).toEqual(['north', 'west', 'east', 'north']);
});

test.each([
  ['[C-35]', 'provider.type', { type: 'x' }],
  ['[C-35]', 'provider.routing.type', { routing: { type: 'fastest' } }],
  ['[C-36]', 'provider.primary_factor', { primary_factor: 'x' }],
  ['[C-36]', 'provider.routing.primary_factor', { routing: { primary_factor: 5 } }],
])('%s %s is refused in %j', (_rule, param, provider) => refused(stand, ask({ model: TRIO, provider }), param));

test('without routing preferences the first host stays first, and the faster of the others is the fallback', async () => {
  await whileSlow(stand, { west: 700 }, async () => {
    await measureAll(SPEED);
    const [reply] = await askedBy(stand, () => send({}));
    expect((await recordOf(stand, reply)).weighed?.map(({ provider }) => provider)).toEqual(['east', 'north', 'west']);
  });
  expect(await whileDown(stand, ['east'], () => hosts({}, 1))).toEqual(['east', 'north']);
});
