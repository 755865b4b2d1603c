// Fields of `provider` that callers of other routers send, `models` and `transforms`: each is applied, or is a loss that
// strict mode refuses. Privacy preferences are honoured or refused, in both modes.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BEARER, call, errorMessage, type Json, PROTOCOL_CALLS } from '../support/every-protocol.ts';
import { openStand, postChat, STRICT_KEY, type Stand, UPSTREAM_SECRET } from '../support/stand.ts';
import { askedBy } from '../support/three-hosts.ts';

const MODEL = 'quartet/one';
const OTHER = 'quartet/two';
const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];

/** In the order of the catalogue. `north` has neither prices nor a data policy. */
const HOSTS = {
  east: { price: '3', facts: { region: 'us', retentionDays: 30, trains: false } },
  west: { price: '1', facts: { trains: true } },
  south: { price: '2', facts: { region: 'eu', retentionDays: 0, trains: false } },
  north: { price: undefined, facts: {} },
} as const;

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: (simulatorUrl) => ({
      providers: Object.fromEntries(
        Object.entries(HOSTS).map(([host, { facts }]) => [
          host,
          {
            dialect: 'openai-chat',
            baseUrl: `${simulatorUrl}/compatible@${host}/v1`,
            credential: UPSTREAM_SECRET,
            ...facts,
          },
        ]),
      ),
      models: [
        ...[MODEL, OTHER].map((id) => ({
          id,
          endpoints: Object.entries(HOSTS).map(([provider, { price }]) => ({
            provider,
            ...(price !== undefined && { pricings: { prompt: usd(price), completion: usd(price) } }),
          })),
        })),
        { id: 'unknown/one', endpoints: [{ provider: 'north' }] },
        { id: 'said/one', endpoints: [{ provider: 'north', retentionDays: 0, trains: false, region: 'eu' }] },
      ],
    }),
  });
});
afterAll(() => stand.close());

const MODES = [
  ['lenient', {}],
  ['strict', { authorization: `Bearer ${STRICT_KEY}` }],
] as const;
const bodyOf = (more: Json, model = MODEL): Json => ({
  model,
  messages: [{ role: 'user', content: 'Hello' }],
  ...more,
});

type Routed = {
  readonly status: number;
  readonly plan: string;
  readonly leftOut: Json;
  readonly error: string;
  readonly param: unknown;
};
/** The plan of the call: hosts by their first letters. */
async function routed(more: Json, headers: Readonly<Record<string, string>>, model = MODEL): Promise<Routed> {
  const response = await fetch(`${stand.url}/api/v1/route`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...BEARER, ...headers },
    body: JSON.stringify(bodyOf(more, model)),
  });
  const json = (await response.json()) as Record<string, Json>;
  const steps = (json['plan'] ?? []) as unknown as { provider: string }[];
  const leftOut = (json['decision']?.['left_out'] ?? []) as { provider: string; why: string }[];
  return {
    status: response.status,
    plan: steps.map(({ provider }) => provider[0]).join(''),
    leftOut: Object.fromEntries(leftOut.map(({ provider, why }) => [provider, why])),
    error: String(json['error']?.['message']),
    param: json['error']?.['param'],
  };
}
const provider = (preference: Json): Json => ({ provider: preference });

describe.each(MODES)('%s: applied', (_mode, headers) => {
  test.each<[string, Json, string, Json]>([
    ['only', { only: ['south', 'East'] }, 'es', { west: 'not-among-providers', north: 'not-among-providers' }],
    ['ignore', { ignore: ['east', 'nowhere'] }, 'wsn', { east: 'ignored' }],
    ['order, then the others', { order: ['south', 'west'] }, 'swen', {}],
    [
      'order without fallbacks is a fence',
      { order: ['south', 'west'], allow_fallbacks: false },
      'sw',
      { east: 'not-among-providers', north: 'not-among-providers' },
    ],
    [
      'order within only',
      { order: ['south', 'west'], only: ['west', 'east'] },
      'we',
      { south: 'not-among-providers', north: 'not-among-providers' },
    ],
    [
      'no fallbacks',
      { allow_fallbacks: false },
      'e',
      { west: 'no-fallback', south: 'no-fallback', north: 'no-fallback' },
    ],
    ['fallbacks are usual', { allow_fallbacks: true }, 'ewsn', {}],
    ['sort by price', { sort: 'price' }, 'wsen', {}],
    ['sort by price, as an object', { sort: { by: 'price' } }, 'wsen', {}],
    ['order before sort', { sort: 'price', order: ['east'] }, 'ewsn', {}],
    [
      'a price that is not known is too high',
      { max_price: { prompt: 2, completion: '2.5' } },
      'ws',
      { east: 'too-dear', north: 'too-dear' },
    ],
    [
      'data collection denied: who is known not to train',
      { data_collection: 'deny' },
      'es',
      { west: 'may-train', north: 'may-train' },
    ],
    ['data collection allowed', { data_collection: 'allow' }, 'ewsn', {}],
    [
      'no retention: who is known to keep nothing',
      { zdr: true },
      's',
      { east: 'may-retain', west: 'may-retain', north: 'may-retain' },
    ],
    ['retention does not matter', { zdr: false }, 'ewsn', {}],
    [
      'under routing, beside others',
      { zdr: true, routing: { data_collection: 'deny' } },
      's',
      { east: 'may-retain', west: 'may-train', north: 'may-train' },
    ],
    ['empty lists and nulls ask for nothing', { only: [], ignore: null, quantizations: [], order: [] }, 'ewsn', {}],
  ])('the preference is applied: %s', async (_case, preference, plan, leftOut) => {
    expect(await routed(provider(preference), headers)).toMatchObject({ status: 200, plan, leftOut });
  });

  test('sort by latency is served without a loss', async () => {
    const reply = await postChat(stand, bodyOf(provider({ sort: 'latency' })), headers);
    expect([reply.status, reply.headers.get('x-trivium-losses')]).toEqual([200, null]);
  });

  test('`models` gives the model, then the listed ones, and is not forwarded', async () => {
    const listed = bodyOf({ models: [OTHER, MODEL] });
    const [reply, asked] = await askedBy(stand, () => postChat(stand, listed, headers));
    expect([reply.status, reply.json['model'], asked.length]).toEqual([200, MODEL, 1]);
    expect(JSON.stringify(stand.simulator.truth.read().at(-1)?.body)).not.toContain('models');
    const { plan } = await routed({ models: [OTHER] }, headers);
    expect(plan).toBe('ewsnewsn');
    expect(await routed({ models: ['quartet/three'] }, headers)).toMatchObject({ status: 400, param: 'models[0]' });
  });

  test('`require_parameters` makes a request strict', async () => {
    const required = bodyOf({ ...provider({ require_parameters: true }), seed: 1 });
    const reply = await postChat(stand, required, headers);
    expect([reply.status, (reply.json['error'] as Json)['param']]).toEqual([400, 'seed']);
    const carried = await postChat(stand, bodyOf(provider({ require_parameters: true })), headers);
    expect(carried.status).toBe(200);
  });
});

describe('losses that strict mode refuses', () => {
  test.each<[string, Json]>([
    ['provider.quantizations', provider({ quantizations: ['fp8'] })],
    ['provider.sort', provider({ sort: 'throughput' })],
    ['provider.sort.partition', provider({ sort: { by: 'price', partition: 'none' } })],
    ['provider.max_price.request', provider({ max_price: { prompt: 9, request: 1 } })],
    ['provider.enforce_distillable_text', provider({ enforce_distillable_text: true })],
    ['provider.routing.unheard_of', provider({ routing: { unheard_of: 1 } })],
    ['transforms', { transforms: ['middle-out'] }],
    ['models', { models: [OTHER], model_routing_config: { available_models: [MODEL] } }],
  ])('%s is a loss, and refused in strict mode', async (path, more) => {
    const lenient = await postChat(stand, bodyOf(more));
    expect([lenient.status, lenient.headers.get('x-trivium-losses')]).toEqual([200, path]);
    const strict = await postChat(stand, bodyOf(more), MODES[1][1]);
    expect([strict.status, (strict.json['error'] as Json)['param']]).toEqual([400, path]);
  });
  test('an empty list of transforms is no loss', async () => {
    const reply = await postChat(stand, bodyOf({ transforms: [] }), MODES[1][1]);
    expect([reply.status, reply.headers.get('x-trivium-losses')]).toEqual([200, null]);
  });
  test('a list with hosts that are not configured is a loss, and refused in strict mode', async () => {
    const preference = provider({ only: ['elsewhere', 'south'], order: ['south'] });
    expect(await routed(preference, {})).toMatchObject({ status: 200, plan: 's' });
    expect(await routed(preference, MODES[1][1])).toMatchObject({ status: 400, param: 'provider.only[0]' });
  });
});

describe.each(MODES)(
  '%s: a privacy preference that cannot be honoured is refused, and no host is called',
  (_mode, headers) => {
    test.each<[string, Json, RegExp]>([
      [
        'provider.data_collection',
        { data_collection: 'deny' },
        /marked as not training on data\. Set providers\.<id>\.trains: false/,
      ],
      ['provider.zdr', { zdr: true }, /marked as keeping no data\. Set providers\.<id>\.retentionDays: 0/],
      ['provider.routing.zdr', { routing: { zdr: true } }, /marked as keeping no data/],
    ])('%s is refused where no host is known to honour it', async (param, preference, message) => {
      const [reply, asked] = await askedBy(stand, () =>
        postChat(stand, bodyOf(provider(preference), 'unknown/one'), headers),
      );
      expect([reply.status, asked]).toEqual([400, []]);
      expect(reply.json['error']).toMatchObject({ param, message: expect.stringMatching(message) });
    });
    test('a malformed privacy preference is refused', async () => {
      for (const preference of [{ zdr: 'yes' }, { data_collection: 'never' }, { only: 'east' }, { ignore: [1] }])
        expect((await postChat(stand, bodyOf(provider(preference)), headers)).status).toBe(400);
    });
    test('the data policy of a catalogue endpoint counts, too', async () => {
      expect(await routed(provider({ zdr: true, data_collection: 'deny' }), headers, 'said/one')).toMatchObject({
        plan: 'n',
      });
    });
    test.each<[string, Json]>([
      ['provider.max_price', { max_price: { prompt: 0.5 } }],
      ['provider.only', { only: ['elsewhere'] }],
      ['provider.ignore', { ignore: ['east', 'west', 'south', 'north'] }],
    ])('%s that leaves no host is refused, too', async (param, preference) => {
      const { status, param: named } = await routed(provider(preference), headers);
      expect([status, String(named).replace('[0]', '')]).toEqual([400, param]);
    });
  },
);

describe.each(PROTOCOL_CALLS.filter(({ name }) => name === 'messages' || name === 'responses'))('$name', (protocol) => {
  test.each([{ zdr: true }, { data_collection: 'deny' }, { routing: { zdr: true } }])(
    'a protocol without `provider` refuses privacy preferences in it: %j',
    async (preference) => {
      const body = protocol.body(MODEL, 'Hello', provider(preference));
      const reply = await call(stand, protocol, MODEL, body);
      expect(reply.status).toBe(400);
      expect(errorMessage(reply)).toMatch(/send the header x-trivium-/);
    },
  );
});

describe.each(PROTOCOL_CALLS)('headers in $name', (protocol) => {
  test.each<[Readonly<Record<string, string>>, string]>([
    [{ 'x-trivium-zdr': 'true' }, 'south'],
    [{ 'x-trivium-region': 'eu, ch' }, 'south'],
    [{ 'x-trivium-data-collection': 'deny', 'x-trivium-ignore': 'east' }, 'south'],
  ])('the headers %j select %s', async (preferences, host) => {
    const reply = await call(stand, protocol, MODEL, undefined, { ...BEARER, ...preferences });
    expect([reply.status, reply.headers.get('x-trivium-provider')]).toEqual([200, host]);
    const none = await call(stand, protocol, 'unknown/one', undefined, { ...BEARER, ...preferences });
    expect(none.status).toBe(400);
    expect(errorMessage(none)).toMatch(/leaves no provider/);
  });
});
