/** A gateway with a database and simulated hosts, under policies of every kind, and calls of every kind made through it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RecordRows } from '../../packages/gateway/src/control/requests/record-rows.ts';
import type { UsageEvent } from '../../packages/gateway/src/money/usage/event.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { PROTOCOL_CALLS } from '../support/every-protocol.ts';
import { type StandOptions, UPSTREAM_SECRET } from '../support/stand.ts';

export const MODEL = 'quartet/one';
export const OTHER = 'quartet/two';
const SINGLE = 'quartet/single';
const PAINTER = 'quartet/painter';
const VECTORS = 'quartet/vectors';

const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];
/** Every amount is a whole number of nano-dollars for one token. */
const pricings = (prompt: string, cached: string, completion: string): object => ({
  prompt: usd(prompt),
  input_cache_read: usd(cached),
  completion: usd(completion),
});

/** In the order of the catalogue. `north` has neither prices nor a data policy. */
const PRICES = {
  east: { prompt: '3', cached: '0.3', completion: '12' },
  west: { prompt: '1', cached: '0.5', completion: '2' },
  south: { prompt: '2', cached: '0.2', completion: '8' },
} as const;
const HOSTS: Readonly<Record<string, object>> = {
  east: { region: 'us', retentionDays: 30, trains: false },
  west: { trains: true },
  south: { region: 'eu', retentionDays: 0, trains: false },
  north: {},
};

const hosts: NonNullable<StandOptions['alsoHosts']> = (url) => ({
  providers: {
    ...Object.fromEntries(
      Object.entries(HOSTS).map(([host, facts]) => [
        host,
        { dialect: 'openai-chat', baseUrl: `${url}/compatible@${host}/v1`, credential: UPSTREAM_SECRET, ...facts },
      ]),
    ),
    painter: { dialect: 'openai-images', baseUrl: `${url}/compatible@painter/v1`, credential: UPSTREAM_SECRET },
    vectors: { dialect: 'openai-embeddings', baseUrl: `${url}/compatible@vectors/v1`, credential: UPSTREAM_SECRET },
  },
  models: [
    ...[MODEL, OTHER].map((id) => ({
      id,
      contextLength: 128_000,
      maxOutputTokens: 16_384,
      capabilities: { promptCache: 'auto' },
      endpoints: Object.keys(HOSTS).map((provider) => {
        const price = PRICES[provider as keyof typeof PRICES];
        return {
          provider,
          // One host whose context is too short for long prompts.
          ...(provider === 'south' && { contextLength: 8_000 }),
          ...(price !== undefined && { pricings: pricings(price.prompt, price.cached, price.completion) }),
        };
      }),
    })),
    { id: SINGLE, endpoints: [{ provider: 'east', pricings: pricings('5', '1', '10') }] },
    {
      id: PAINTER,
      outputModalities: ['image'],
      endpoints: [{ provider: 'painter', pricings: { image: [{ value: '0.04', unit: 'perCount', currency: 'USD' }] } }],
    },
    {
      id: VECTORS,
      outputModalities: ['embedding'],
      endpoints: [{ provider: 'vectors', pricings: { prompt: usd('0.5') } }],
    },
  ],
});

const of = (account: string, more: object) => ({
  name: account,
  scope: { account },
  match: { models: ['quartet/*'] },
  ...more,
});

/** One account for each kind of policy. */
const POLICIES = [
  of('shares', { weights: { east: 60, west: 30, south: 10 } }),
  of('turns', { strategy: 'round_robin', ignore: ['north'] }),
  of('quick', { strategy: 'least_latency' }),
  of('fast', { strategy: 'speed' }),
  of('cheap', { strategy: 'cost' }),
  of('fenced', { region: ['eu'], trains: false }),
  of('listed', { order: ['south', 'west'], ignore: ['north'] }),
  of('falling', { only: ['east'], fallbacks: [{ model: OTHER, on: ['error'] }], timeouts: { totalMs: 60_000 } }),
  of('trying', { canary: { model: OTHER, percent: 40 } }),
  of('moving', { canary: { host: 'south', percent: 50 } }),
  of('staying', { weights: { east: 50, west: 50 }, sticky: true }),
  of('capped', { maxPrice: { promptUsdPerMillion: 2 }, strict: true }),
  { name: 'tagged', scope: { tag: 'team=search' }, match: { models: ['quartet/*'] }, only: ['south', 'west'] },
  { name: 'shut', scope: { account: 'tagging', tag: 'team=none' }, match: { models: ['quartet/*'] }, region: ['moon'] },
];
const ACCOUNTS = ['plain', 'tagging', ...POLICIES.slice(0, 12).map(({ name }) => name)];

export const options: StandOptions = {
  alsoHosts: hosts,
  config: () => ({
    aliases: { swift: MODEL },
    auto: { models: [MODEL, OTHER] },
    health: { failures: 2, stalls: 1_000_000 },
    policies: POLICIES,
    prices: { accounts: { plain: -50 } },
  }),
};

export type WhatIfStand = AdminStand & {
  readonly secrets: Readonly<Record<string, string>>;
  readonly events: (count: number) => Promise<readonly UsageEvent[]>;
};

export async function openWhatIfStand(): Promise<WhatIfStand> {
  const stand = await openAdminStand(options);
  const store = new Store(stand.database.settings);
  const secrets: Record<string, string> = {};
  for (const account of ACCOUNTS) secrets[account] = (await stand.newAccount(account)).secret;
  await stand.admin('POST', '/accounts/tagging/tags', { key: 'team' });
  const records = new RecordRows(store);
  const filter = { fromMs: 0, untilMs: Date.now() + 86_400_000, account: '*' };
  return {
    ...stand,
    secrets,
    /** Once so many are stored. */
    events: async (count) => {
      for (;;) {
        const events = await records.events({
          filter: { ...filter, fromMs: Date.now() - 3_600_000 },
          order: 'oldest',
          limit: 10_000,
        });
        if (events.length >= count) return events;
        await sleep(50);
      }
    },
    close: async () => {
      await store.close();
      await stand.close();
    },
  };
}

const chat = PROTOCOL_CALLS[0];
const LONG = 'All that was said before. '.repeat(300);
/** Perhaps and surely too long for one of the hosts. */
const TOO_LONG = [LONG.repeat(6), LONG.repeat(14)];

type Play = {
  readonly account: string;
  readonly model?: string;
  readonly words?: string;
  readonly more?: object;
  readonly headers?: object;
};

/** Makes calls of every kind, one after the other, and returns their records. */
export async function playCalls(stand: WhatIfStand, rounds: number): Promise<readonly UsageEvent[]> {
  let made = 0;
  const post = async (account: string, path: string, body: object, headers: object = {}) => {
    made++;
    const response = await fetch(`${stand.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${stand.secrets[account]}`, ...headers },
      body: JSON.stringify(body),
    });
    await response.text();
  };
  const send = ({ account, model = MODEL, words = 'Hello', more = {}, headers = {} }: Play, protocol = chat) =>
    post(account, protocol.path(model), protocol.body(model, words, more as Record<string, unknown>), {
      ...protocol.headers,
      ...headers,
    });
  const armed = async (faults: Readonly<Record<string, string>>, work: () => Promise<unknown>) => {
    for (const [host, fault] of Object.entries(faults)) stand.simulator.arm(fault, { host, times: 1 });
    await work();
    await fetch(`${stand.simulator.url}/_simulator/arm`, { method: 'DELETE' });
  };
  for (let round = 0; round < rounds; round++) {
    const cached = `Round ${round}. @simulate scenario=cached-usage`;
    for (const account of ACCOUNTS) {
      await send({ account, words: cached });
      await send({ account, model: OTHER, more: { stream: true, stream_options: { include_usage: true } } });
      await send({ account, words: `${round % 2}${LONG}` });
      // Of the hosts in front one fails.
      await armed({ east: 'status=500', west: 'status=503' }, () => send({ account }));
      await send({ account, model: `${MODEL}:south` });
      await send({ account, model: SINGLE, words: cached });
    }
    for (const protocol of PROTOCOL_CALLS.slice(1)) await send({ account: 'plain' }, protocol);
    await send({ account: 'plain', model: 'swift' });
    await send({ account: 'cheap', model: 'trivium/auto', words: cached });
    await send({ account: 'plain', more: { provider: { order: ['west', 'south'] } } });
    await send({ account: 'shares', more: { provider: { only: ['east', 'south'] } } });
    await send({ account: 'plain', more: { provider: { max_price: { prompt: 1 } } } });
    await send({ account: 'plain', more: { provider: { data_collection: 'deny' } } });
    await send({ account: 'turns', more: { models: [OTHER, MODEL] } });
    await send({ account: 'cheap', headers: { 'x-trivium-factor': 'speed', 'x-trivium-ignore': 'north' } });
    await send({ account: 'plain', headers: { 'x-trivium-fallback': 'false', 'x-trivium-strategy': 'round_robin' } });
    await send({ account: 'plain', headers: { 'x-trivium-provider': 'south,west' } });
    await send({ account: 'tagging', headers: { 'x-trivium-tags': 'team=search' } });
    // Refused: by a policy of a tag, by the caller's own limits, for a model that does not exist.
    await send({ account: 'tagging', headers: { 'x-trivium-tags': 'team=none' } });
    await send({ account: 'plain', headers: { 'x-trivium-region': 'mars' } });
    await send({ account: 'fenced', model: `${MODEL}:west` });
    await send({ account: 'plain', model: 'no/such' });
    for (const account of ['plain', 'cheap', 'turns']) for (const words of TOO_LONG) await send({ account, words });
    // Out of service after two failures.
    for (let count = 0; count < 2; count++)
      await armed({ east: 'status=500' }, () => send({ account: 'plain', headers: { 'x-trivium-provider': 'east' } }));
    for (const account of ['plain', 'listed', 'shares', 'turns']) await send({ account });
    // Fails everywhere.
    await armed({ east: 'status=400' }, () => send({ account: 'falling', model: SINGLE }));
    await post('plain', '/api/v1/images/generations', { model: PAINTER, prompt: 'a cat', n: 1 + (round % 2) });
    await post('plain', '/api/v1/embeddings', { model: VECTORS, input: ['one', 'two'] });
  }
  return stand.events(made);
}
