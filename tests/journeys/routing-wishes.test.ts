// Routing preferences in every protocol: by headers, and by a host's name after the model's.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Answered,
  BEARER,
  call,
  errorMessage,
  PROTOCOL_CALLS,
  type ProtocolCall,
} from '../support/every-protocol.ts';
import type { Stand } from '../support/stand.ts';
import { askedBy, OTHER_TRIO, openThreeHosts, TRIO, type TrioHost, whileDown } from '../support/three-hosts.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openThreeHosts();
});
afterAll(() => stand.close());

type Preferences = Readonly<Record<string, string>>;

describe.each(PROTOCOL_CALLS)('$name', (protocol: ProtocolCall) => {
  async function send(
    preferences: Preferences,
    down: readonly TrioHost[] = [],
    model: string = TRIO,
  ): Promise<[reply: Answered, hosts: string]> {
    const [reply, asked] = await askedBy(stand, () =>
      whileDown(stand, down, () => call(stand, protocol, model, protocol.body(model), { ...BEARER, ...preferences })),
    );
    return [reply, asked.map(({ host }) => host).join(' ')];
  }

  test.each<[Preferences, readonly TrioHost[], string]>([
    [{}, [], 'east'],
    [{ 'x-trivium-provider': 'north, west' }, [], 'north'],
    [{ 'x-trivium-provider': 'north,west' }, ['north'], 'north west'],
    [{ 'x-trivium-fallback': 'north' }, ['east'], 'east north'],
    [{ 'x-trivium-provider': 'North, West', 'x-trivium-fallback': 'West' }, ['north'], 'north west'],
    [{ 'x-trivium-factor': 'cost' }, [], 'west'],
    [{ 'x-trivium-strategy': 'priority', 'x-trivium-provider': 'east,west', 'x-trivium-factor': 'cost' }, [], 'east'],
  ])('%j with %j down tries the hosts %s', async (preferences, down, expected) => {
    const [reply, hosts] = await send(preferences, down);
    expect([reply.status, hosts]).toEqual([200, expected]);
    expect(reply.headers.get('x-trivium-provider')).toBe(expected.split(' ').at(-1));
    expect(reply.headers.get('x-trivium-attempts')).toBe(String(expected.split(' ').length));
  });

  test('fallback false tries no other host, and hosts outside the list are never tried', async () => {
    const [held, first] = await send({ 'x-trivium-fallback': 'false' }, ['east']);
    expect([held.status, first]).toEqual([502, 'east']);
    const [alone, only] = await send({ 'x-trivium-provider': 'west' }, ['west']);
    expect([alone.status, only]).toEqual([502, 'west']);
  });

  test('a failed request moves on to another model of the list', async () => {
    const [reply, asked] = await askedBy(stand, () => {
      stand.simulator.arm('status=500', { model: 'one', times: 1 });
      return call(stand, protocol, TRIO, protocol.body(TRIO), {
        ...BEARER,
        'x-trivium-models': `${OTHER_TRIO}, ${TRIO}`,
        'x-trivium-provider': 'west',
      });
    });
    expect([reply.status, asked]).toEqual([
      200,
      [
        { host: 'west', model: 'one' },
        { host: 'west', model: 'two' },
      ],
    ]);
  });

  test('a pinned host is the only one tried, and a pin to an unknown host is an unknown model', async () => {
    const [reply, hosts] = await send({}, [], `${TRIO}:north`);
    expect([reply.status, hosts]).toEqual([200, 'north']);
    const [held, tried] = await send({}, ['north'], `${TRIO}:north`);
    expect([held.status, tried]).toEqual([502, 'north']);
    const [unknown, hostsOfUnknown] = await send({}, [], `${TRIO}:nowhere`);
    expect([unknown.status, hostsOfUnknown]).toEqual([404, '']);
  });

  test.each([
    ['x-trivium-provider', 'west, nowhere'],
    ['x-trivium-provider', 'openai'],
    ['x-trivium-fallback', 'nowhere'],
    ['x-trivium-strategy', 'fastest'],
    ['x-trivium-factor', 'price'],
    ['x-trivium-models', 'trio/none'],
    ['x-trivium-provider', Array.from({ length: 65 }, () => 'west').join()],
  ])('%s: %s is refused naming the header', async (header, value) => {
    const [reply, hosts] = await send({ [header]: value });
    expect([reply.status, hosts]).toEqual([400, '']);
    expect(errorMessage(reply)).toContain(`'${header}'`);
  });
});
