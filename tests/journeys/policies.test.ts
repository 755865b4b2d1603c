// The operator's routing policies, from the configuration file: they order hosts, add fallbacks, and hold whatever callers send.
import { loadConfig } from '@trivium/gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, errorMessage, type Json, PROTOCOL_CALLS } from '../support/every-protocol.ts';
import { fourHosts, MODEL, OTHER } from '../support/policy-hosts.ts';
import { KEY, LIMITED_KEY, openStand, postChat, type Stand } from '../support/stand.ts';
import { askedBy } from '../support/three-hosts.ts';

const KEYS = {
  fenced: 'sk-trivium-fenced-0123456789abcdefghijklmnopqrstuv',
  falling: 'sk-trivium-falling-0123456789abcdefghijklmnopqrst',
  picky: 'sk-trivium-picky-0123456789abcdefghijklmnopqrstuvw',
  trial: 'sk-trivium-trial-0123456789abcdefghijklmnopqrstuvw',
  fencedTrial: 'sk-trivium-fencedtrial-0123456789abcdefghijklmnop',
  hostTrial: 'sk-trivium-hosttrial-0123456789abcdefghijklmnopqr',
  sticky: 'sk-trivium-sticky-0123456789abcdefghijklmnopqrstuv',
} as const;

/** `fenced` may only reach `south`, the one host that is known to be in Europe and to keep and train on nothing. */
const POLICIES = [
  { name: 'eu', scope: { account: 'fenced' }, region: ['eu'], retention: 0, trains: false },
  { name: 'fast-is-south', scope: { account: 'fenced' }, match: { models: ['fast'] }, region: null, only: ['east'] },
  { name: 'cheap-first', scope: { account: 'default' }, match: { models: [MODEL] }, strategy: 'cost' },
  {
    name: 'two-when-one-fails',
    scope: { account: 'falling' },
    match: { models: [MODEL] },
    only: ['east'],
    fallbacks: [{ model: OTHER, on: ['error'] }],
  },
  { name: 'two-is-west', scope: { account: 'falling' }, match: { models: [OTHER] }, only: ['west'] },
  {
    name: 'over-rate-only',
    scope: { account: 'picky' },
    match: { models: [MODEL] },
    only: ['east'],
    fallbacks: [{ model: OTHER, on: ['over-rate'] }],
    strict: true,
  },
  { name: 'try-two', scope: { account: 'trial' }, match: { models: [MODEL] }, canary: { model: OTHER, percent: 100 } },
  {
    name: 'try-two-fenced',
    scope: { account: 'fencedTrial' },
    match: { models: [MODEL] },
    only: ['west'],
    canary: { model: OTHER, percent: 100 },
  },
  { name: 'two-not-there', scope: { account: 'fencedTrial' }, match: { models: [OTHER] }, ignore: ['west'] },
  { name: 'try-south', scope: { account: 'hostTrial' }, canary: { host: 'south', percent: 50 } },
  { name: 'shares', scope: { account: 'sticky' }, weights: { east: 1, west: 1, south: 1 }, sticky: true },
];

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: fourHosts,
    config: () => ({
      keys: [
        { name: 'test', secret: KEY },
        { name: 'limited', secret: LIMITED_KEY, models: [MODEL], account: 'falling' },
        ...Object.entries(KEYS).map(([account, secret]) => ({ name: account, secret, account })),
      ],
      aliases: { fast: MODEL, slow: OTHER },
      auto: { models: [MODEL, OTHER] },
      policies: POLICIES,
    }),
  });
});
afterAll(() => stand.close());

const as = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const bodyOf = (more: Json = {}): Json => ({ model: MODEL, messages: [{ role: 'user', content: 'Hello' }], ...more });
const send = async (key: string, more: Json = {}, headers: Record<string, string> = {}) => {
  const [reply, asked] = await askedBy(stand, () => postChat(stand, bodyOf(more), { ...as(key), ...headers }));
  return { reply, hosts: asked.map(({ host, model }) => `${host} ${String(model)}`) };
};
const planOf = async (key: string, more: Json = {}, headers: Record<string, string> = {}): Promise<Json> => {
  const response = await fetch(`${stand.url}/api/v1/route`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...as(key), ...headers },
    body: JSON.stringify(bodyOf(more)),
  });
  return (await response.json()) as Json;
};
const whileArmed = async <T>(faults: Record<string, string>, work: () => Promise<T>): Promise<T> => {
  for (const [host, fault] of Object.entries(faults)) stand.simulator.arm(fault, { host, times: 100 });
  try {
    return await work();
  } finally {
    await fetch(`${stand.simulator.url}/_simulator/arm`, { method: 'DELETE' });
  }
};

describe('order', () => {
  test('the operator’s strategy orders hosts, unless the caller orders them', async () => {
    expect((await send(KEY)).hosts).toEqual([`west ${MODEL.split('/')[1]}`]);
    expect((await send(KEY, { model: OTHER })).hosts).toEqual(['east two']);
    expect((await send(KEY, { provider: { order: ['south'] } })).hosts).toEqual(['south one']);
  });

  test('the dry run and the record say which policy decided what', async () => {
    const { decision } = (await planOf(KEY)) as { decision: Json };
    expect(decision).toMatchObject({
      decided_by: 'cost',
      policies: [{ member: 'strategy', policy: 'cheap-first' }],
    });
    await send(KEY);
    expect(stand.records.at(-1)?.decidedBy).toEqual({
      hosts: 'cost',
      policies: [{ member: 'strategy', policy: 'cheap-first' }],
    });
  });
});

describe('fallbacks to another model', () => {
  test('follow the failures they name, at the hosts of that model’s own policy, with its price', async () => {
    const { reply, hosts } = await whileArmed({ east: 'status=500' }, () => send(KEYS.falling));
    expect([reply.status, hosts]).toEqual([200, ['east one', 'west two']]);
    expect(reply.json['model']).toBe(OTHER);
    expect(stand.records.at(-1)).toMatchObject({ modelId: OTHER, provider: 'west' });
  });

  test('do not follow others', async () => {
    const failed = await whileArmed({ east: 'status=500' }, () => send(KEYS.picky));
    expect([failed.reply.status, failed.hosts]).toEqual([502, ['east one']]);
    const limited = await whileArmed({ east: 'status=429' }, () => send(KEYS.picky));
    expect([limited.reply.status, limited.hosts]).toEqual([200, ['east one', 'west two']]);
  });

  test.each<[string, Json, Record<string, string>]>([
    ['names its models', {}, { 'x-trivium-models': MODEL }],
    ['wants no fallback', {}, { 'x-trivium-fallback': 'false' }],
    ['names one host', { model: `${MODEL}:east` }, {}],
  ])('are not added if the caller %s', async (_case, more, headers) => {
    const { reply, hosts } = await whileArmed({ east: 'status=500' }, () => send(KEYS.falling, more, headers));
    expect([reply.status, hosts]).toEqual([502, ['east one']]);
  });

  test('a key that may not use the model does not reach it', async () => {
    const { reply, hosts } = await whileArmed({ east: 'status=500' }, () => send(LIMITED_KEY));
    expect([reply.status, hosts]).toEqual([502, ['east one']]);
    expect(stand.records.at(-1)?.leftOut).toContainEqual({ provider: 'west', modelId: OTHER, why: 'forbidden' });
  });
});

describe('a canary', () => {
  const sentTo = (provider: string, modelId: string) => ({ sentTo: { provider, modelId } });

  test('gets its share of calls, and the dry run and the record say so', async () => {
    expect((await send(KEYS.trial)).hosts).toEqual(['east two']);
    expect(stand.records.at(-1)?.decidedBy).toMatchObject({
      policies: [{ member: 'canary', policy: 'try-two' }],
      canary: { policy: 'try-two', percent: 100, ...sentTo('east', OTHER) },
    });
    const { decision, plan } = (await planOf(KEYS.trial)) as { decision: Json; plan: Json[] };
    expect(decision['canary']).toEqual({
      policy: 'try-two',
      percent: 100,
      sent_to: { provider: 'east', model: OTHER },
    });
    expect(plan.map(({ model }) => model)).toEqual([OTHER, ...Array(plan.length - 1).fill(MODEL)]);
    expect(plan.length).toBeGreaterThan(1);
  });

  test.each(['status=500', 'status=429', 'status=400', 'status=403', 'fault=reset-before-headers'])(
    'that fails with %s costs no caller its answer, however often',
    async (fault) => {
      for (let turn = 0; turn < 12; turn++) {
        stand.simulator.arm(fault, { model: 'two', times: 10 });
        const { reply, hosts } = await send(KEYS.trial, { stream: turn % 2 === 1 });
        await fetch(`${stand.simulator.url}/_simulator/arm`, { method: 'DELETE' });
        expect([reply.status, hosts.at(-1)]).toEqual([200, expect.stringMatching(/ one$/)]);
      }
    },
  );

  test.each<[string, Json, Record<string, string>]>([
    ['names its models', {}, { 'x-trivium-models': MODEL }],
    ['wants no fallback', {}, { 'x-trivium-fallback': 'false' }],
    ['names one host', { model: `${MODEL}:east` }, {}],
    ['lists hosts', { provider: { only: ['east', 'west'] } }, {}],
    ['orders hosts', { provider: { order: ['east'] } }, {}],
  ])('does not get a caller that %s', async (_case, more, headers) => {
    expect((await send(KEYS.trial, more, headers)).hosts).toEqual([expect.stringMatching(/ one$/)]);
  });

  test('is not sent what the policies of either model forbid', async () => {
    expect((await send(KEYS.fencedTrial)).hosts).toEqual(['west one']);
    expect(stand.records.at(-1)?.decidedBy?.canary).toEqual({ policy: 'try-two-fenced', percent: 100 });
    expect(stand.records.at(-1)?.leftOut).toContainEqual({
      provider: 'west',
      modelId: OTHER,
      why: 'ignored',
      policy: 'two-not-there',
    });
  });

  test('at a host of the model comes last for all others, and a conversation stays', async () => {
    const firstOf = async (conversation: number, turns: number): Promise<string> => {
      const messages = [
        { role: 'system', content: `It is turn ${turns}.` },
        { role: 'user', content: `Conversation ${conversation}` },
        ...Array.from({ length: turns }, () => [
          { role: 'assistant', content: 'Yes?' },
          { role: 'user', content: 'Go on' },
        ]).flat(),
      ];
      const { plan } = (await planOf(KEYS.hostTrial, { messages })) as { plan: { provider: string }[] };
      return plan.map(({ provider }) => provider[0]).join('');
    };
    const first = await Promise.all(Array.from({ length: 30 }, (_, conversation) => firstOf(conversation, 0)));
    // Those behind the first are ordered by what was measured.
    expect(first.every((plan) => plan.startsWith('s') || plan.endsWith('s'))).toBe(true);
    const isMoved = first.map((plan) => plan.startsWith('s'));
    expect(new Set(isMoved).size).toBe(2);
    const later = await Promise.all(first.map((_, conversation) => firstOf(conversation, 3)));
    expect(later.map((plan) => plan.startsWith('s'))).toEqual(isMoved);
  });
});

test('with sticky shares a conversation stays at its host', async () => {
  const firstOf = async (words: string): Promise<string> => {
    const messages = [{ role: 'user', content: words }];
    return ((await planOf(KEYS.sticky, { messages })) as { plan: { provider: string }[] }).plan[0]!.provider;
  };
  const words = Array.from({ length: 30 }, (_, index) => `Question ${index}`);
  const first = await Promise.all(words.map(firstOf));
  expect([...new Set(first)].sort()).toEqual(['east', 'south', 'west']);
  expect(await Promise.all(words.map(firstOf))).toEqual(first);
});

test('a strict policy makes every request strict', async () => {
  const { reply, hosts } = await send(
    KEYS.picky,
    { provider: { quantizations: ['fp8'] } },
    { 'x-trivium-strict': 'false' },
  );
  expect([reply.status, hosts]).toEqual([400, []]);
});

test('what a policy leaves out stands in the decision, with its name', async () => {
  const { plan, decision } = (await planOf(KEYS.fenced)) as { plan: Json[]; decision: { left_out: Json[] } };
  expect(plan.map(({ provider }) => provider)).toEqual(['south']);
  expect(decision.left_out).toEqual([
    { provider: 'east', model: MODEL, why: 'may-retain', policy: 'eu' },
    { provider: 'west', model: MODEL, why: 'may-train', policy: 'eu' },
    { provider: 'north', model: MODEL, why: 'may-train', policy: 'eu' },
  ]);
});

describe('a caller cannot leave what the operator allows', () => {
  const header = (name: string, value: string): [string, Json, Record<string, string>] => [
    `${name}: ${value}`,
    {},
    { [`x-trivium-${name}`]: value },
  ];
  const body = (more: Json): [string, Json, Record<string, string>] => [JSON.stringify(more), more, {}];
  const TRIES = [
    header('provider', 'east'),
    header('provider', 'west, north'),
    header('provider', 'east, south'),
    header('fallback', 'east'),
    header('strategy', 'round_robin'),
    header('strategy', 'least_latency'),
    header('factor', 'quality'),
    header('factor', 'cost'),
    header('models', OTHER),
    header('models', `${MODEL}, ${OTHER}`),
    header('models', `${MODEL}:east`),
    header('preference', OTHER),
    header('preference', `${OTHER}:west`),
    header('ignore', 'south'),
    header('region', 'us'),
    header('data-collection', 'allow'),
    header('zdr', 'false'),
    header('on-refusal', 'next'),
    header('hedge', 'true'),
    header('complexity', 'high'),
    body({ provider: { only: ['east'] } }),
    body({ provider: { order: ['east', 'west'] } }),
    body({ provider: { order: ['north'], allow_fallbacks: false } }),
    body({ provider: { ignore: ['south'] } }),
    body({ provider: { data_collection: 'allow' } }),
    body({ provider: { zdr: false } }),
    body({ provider: { sort: 'price' } }),
    body({ provider: { max_price: { prompt: 100 } } }),
    body({ provider: { providers: ['east'] } }),
    body({ provider: { routing: { providers: ['west'] } } }),
    body({ provider: { type: 'priority', providers: ['north', 'south'] } }),
    body({ models: [OTHER] }),
    body({ models: [`${OTHER}:north`, `${MODEL}:west`] }),
    body({ model_routing_config: { available_models: [OTHER] } }),
    body({ model_routing_config: { available_models: [MODEL, OTHER], preference: OTHER } }),
    body({ model: `${MODEL}:east` }),
    body({ model: `${OTHER}:North` }),
    body({ model: 'fast' }),
    body({ model: 'slow' }),
    body({ model: 'trivium/auto' }),
    body({ model: 'fast:east' }),
    body({ stream: true, provider: { order: ['west'] } }),
    header('policies', 'none'),
  ];

  test('there are at least 40 tries', () => expect(TRIES.length).toBeGreaterThanOrEqual(40));

  test.each(TRIES)('%s', async (_case, more, headers) => {
    // South fails, so that a request that could go elsewhere would.
    const { reply, hosts } = await whileArmed({ south: 'status=500' }, () => send(KEYS.fenced, more, headers));
    expect(hosts.filter((host) => !host.startsWith('south'))).toEqual([]);
    expect(reply.status).toBeGreaterThanOrEqual(400);
  });

  test.each(PROTOCOL_CALLS)('in $name neither', async (protocol) => {
    const headers = { ...as(KEYS.fenced), 'x-trivium-provider': 'east' };
    const [reply, asked] = await askedBy(stand, () => call(stand, protocol, MODEL, protocol.body(MODEL), headers));
    expect([reply.status, asked]).toEqual([403, []]);
    expect(errorMessage(reply)).toContain("'eu'");
  });

  test('counting tokens sends nothing elsewhere', async () => {
    const [, asked] = await askedBy(stand, () =>
      fetch(`${stand.url}/api/anthropic/v1/messages/count_tokens`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...as(KEYS.fenced) },
        body: JSON.stringify({ model: 'anthropic/claude-sonnet-4-5', messages: [{ role: 'user', content: 'Hello' }] }),
      }),
    );
    expect(asked).toEqual([]);
  });
});

test.each([
  [
    [
      { name: 'one', only: ['east'] },
      { name: 'two', only: ['west'] },
    ],
    "contradicts 'one': both set `only` for the same requests, and neither is more specific",
  ],
  [[{ name: 'one' }], 'says nothing'],
  [[{ name: 'one', scope: { key: 'k' }, strict: true }], '`scope.key` needs `scope.account`'],
  [
    [{ name: 'one', match: { operations: ['embed'] }, fallbacks: [{ model: MODEL }] }],
    '`fallbacks` are never used for embeddings: vectors of two models do not mix',
  ],
])('a file with %j is refused', (policies, message) => {
  const loaded = loadConfig({ text: JSON.stringify({ keys: [{ name: 'k', secret: KEY }], policies }), env: {} });
  expect('problems' in loaded && loaded.problems.map((problem) => problem.message)).toEqual([message]);
});
