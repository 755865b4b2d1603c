/** Providers at the admin API: circuit breakers, credentials in order, and circuits that an operator closes on all nodes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { UPSTREAM_SECRET } from '../support/stand.ts';

const options = {
  config: (url: string) => ({
    health: { failures: 2, stalls: 2, outMs: 300_000, maxOutMs: 300_000 },
    providers: {
      openai: {
        credential: UPSTREAM_SECRET,
        credentials: ['sk-upstream-canary-spare-0123456789'],
        baseUrl: `${url}/openai/v1`,
      },
      twin: { dialect: 'openai-chat', baseUrl: `${url}/openai/v1`, credential: UPSTREAM_SECRET },
      gone: { dialect: 'openai-chat', baseUrl: 'http://127.0.0.1:1/v1', credential: UPSTREAM_SECRET },
    },
    models: [
      { id: 'openai/gpt-4o', endpoints: [{ provider: 'openai' }] },
      { id: 'both/any', endpoints: ['openai', 'twin'].map((provider) => ({ provider, upstreamModel: 'gpt-4o' })) },
      { id: 'gone/any', endpoints: [{ provider: 'gone', upstreamModel: 'any' }] },
    ],
  }),
};

let here: AdminStand;
let there: AdminStand;
let secret: string;
beforeAll(async () => {
  here = await openAdminStand(options);
  there = await openAdminStand(options, here.database);
  ({ secret } = await here.newAccount('acme'));
});
afterAll(async () => {
  await there.close();
  await here.close();
});

const targetOf = async (stand: AdminStand, id: string): Promise<Record<string, unknown>> => {
  const { status, json, text } = await stand.admin('GET', `/providers/${id}`);
  if (status !== 200) throw new Error(text);
  const targets = json['targets'] as Record<string, unknown>[];
  return targets.find(({ model }) => model === 'openai/gpt-4o' || model === 'gone/any') ?? {};
};
const breakIt = async (stand: AdminStand): Promise<void> => {
  for (let call = 0; call < 3 && (await targetOf(stand, 'gone'))['state'] === 'closed'; call++)
    await stand.chat(secret, { model: 'gone/any' });
};

test('a provider is shown with its credentials in order and its models, without any secret', async () => {
  await here.chat(secret);
  const { json, text } = await here.admin('GET', '/providers/openai');
  expect(json).toMatchObject({
    id: 'openai',
    credential: 'file',
    credentials: [
      { position: 1, source: 'file' },
      { position: 2, source: 'file' },
    ],
    origins: [here.simulator.url],
    openCircuits: 0,
    retryBudget: { left: expect.any(Number), percent: 200 },
  });
  expect(await targetOf(here, 'openai')).toMatchObject({
    model: 'openai/gpt-4o',
    state: 'closed',
    failuresInRow: 0,
    firstTokenMs: null,
    waiting: 0,
    credentials: [
      { position: 1, state: 'closed' },
      { position: 2, state: 'closed' },
    ],
  });
  expect(text).not.toContain('canary');
  expect((await here.admin('GET', '/providers/no-such')).status).toBe(404);
});

test('a provider has its latency where providers are compared', async () => {
  const reply = await here.chat(secret, { model: 'both/any' });
  const { json } = await here.admin('GET', `/providers/${reply.headers.get('x-trivium-provider')}`);
  const targets = json['targets'] as Record<string, unknown>[];
  expect(targets.find(({ model }) => model === 'both/any')).toMatchObject({
    wholeAnswerMs: expect.any(Number),
    firstTokenMs: null,
    waiting: 0,
  });
});

test('the outcomes of recent requests are shown in bars of 15 minutes', async () => {
  await here.chat(secret);
  await expect
    .poll(
      async () => {
        const { json } = await here.admin('GET', '/providers/openai');
        const { bucketSeconds, bars } = json['history'] as { bucketSeconds: number; bars: { ok: number }[] };
        return [bucketSeconds, bars.reduce((sum, { ok }) => sum + ok, 0) >= 2];
      },
      { timeout: 10_000 },
    )
    .toEqual([900, true]);
});

test('an open circuit has its reason and end time, and an operator can close it on every node', async () => {
  await breakIt(here);
  await breakIt(there);
  for (const stand of [here, there]) {
    expect(await targetOf(stand, 'gone')).toMatchObject({ model: 'gone/any', state: 'open', why: 'failures' });
    const { since, until, failuresInRow } = await targetOf(stand, 'gone');
    expect(failuresInRow).toBe(2);
    expect(Date.parse(String(until)) - Date.parse(String(since))).toBe(300_000);
  }
  expect((await here.admin('GET', '/models/gone/any')).json).toMatchObject({
    callable: true,
    endpoints: [{ circuit: { state: 'open', why: 'failures' } }],
  });
  expect((await here.admin('GET', '/providers')).json['items']).toMatchObject([
    { id: 'gone', openCircuits: 1 },
    { id: 'openai', openCircuits: 0 },
    { id: 'twin', openCircuits: 0 },
  ]);
  expect((await here.admin('POST', '/providers/gone/release', { model: 'gone/other' })).json).toEqual({ released: 0 });
  expect(await targetOf(here, 'gone')).toMatchObject({ state: 'open' });
  expect((await here.admin('POST', '/providers/gone/release', { model: 'gone/any' })).json).toEqual({ released: 1 });
  expect(await targetOf(here, 'gone')).toMatchObject({ state: 'closed', failuresInRow: 0, since: null });
  await expect.poll(async () => (await targetOf(there, 'gone'))['state'], { timeout: 10_000 }).toBe('closed');
  const { json } = await here.admin('GET', '/audit?limit=1');
  expect(json['items']).toMatchObject([{ action: 'provider.release', subject: 'gone', detail: { model: 'gone/any' } }]);
});

test('a request that no provider answered is found by the provider that failed last, and each that failed has its attempt in its history', async () => {
  const content = 'Hello. @simulate status=500';
  const reply = await here.chat(secret, { model: 'both/any', messages: [{ role: 'user', content }] });
  expect(reply.status).toBe(502);
  const id = reply.headers.get('x-request-id');
  const found = async (provider: string): Promise<unknown> =>
    (await here.admin('GET', `/requests?outcome=upstream&provider=${provider}&id=${id}`)).json['items'];
  const failuresOf = async (provider: string): Promise<number> => {
    const { json } = await here.admin('GET', `/providers/${provider}`);
    const { bars } = json['history'] as { bars: { upstream: number }[] };
    return bars.reduce((sum, { upstream }) => sum + upstream, 0);
  };
  const { attempts } = here.records.at(-1) ?? { attempts: [] };
  const [first, last] = [attempts[0]?.provider ?? '', attempts.at(-1)?.provider ?? ''];
  expect([first, last].toSorted()).toEqual(['openai', 'twin']);
  const row = { id, provider: last, model: 'both/any', lane: 'verbatim', status: 502, costUsd: null };
  await expect.poll(() => found(last), { timeout: 10_000 }).toMatchObject([row]);
  expect(await found(first)).toEqual([]);
  expect([await failuresOf(first), await failuresOf(last)]).toEqual([1, 1]);
  const { json } = await here.admin('GET', `/usage?by=outcome&outcome=upstream-broken&provider=${last}`);
  expect(json['items']).toMatchObject([{ requests: 1, faults: { upstream: 1 }, costUsd: '0' }]);
});
