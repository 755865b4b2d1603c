/** Models at the admin API: where each can be called, at which price, and why not. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdminStand, callAdmin, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { openStand, UPSTREAM_SECRET } from '../support/stand.ts';

type Shown = Record<string, unknown> & { readonly id: string; readonly endpoints: Record<string, unknown>[] };

const PRICES = {
  prompt: [{ value: '2', unit: 'perMTokens', currency: 'USD' }],
  completion: [{ value: '8', unit: 'perMTokens', currency: 'USD' }],
};

let stand: AdminStand;
let acme: { readonly keyId: string; readonly secret: string };
beforeAll(async () => {
  stand = await openAdminStand({
    config: (url) => ({
      providers: {
        openai: { credential: UPSTREAM_SECRET, baseUrl: `${url}/openai/v1` },
        groq: {},
        free: { dialect: 'openai-chat', baseUrl: `${url}/compatible/v1` },
      },
      models: [
        { id: 'openai/gpt-4o', endpoints: [{ provider: 'openai', upstreamModel: 'gpt-4o-2024', pricings: PRICES }] },
        { id: 'own/keyless', endpoints: [{ provider: 'groq', upstreamModel: 'any' }] },
        { id: 'own/unpriced', endpoints: [{ provider: 'free', upstreamModel: 'any' }] },
      ],
      catalogue: { changes: { 'openai/gpt-4o-mini': { hide: true } } },
      aliases: { quick: 'openai/gpt-4o' },
      prices: { accounts: { acme: -50 } },
    }),
  });
  acme = await stand.newAccount('acme');
});
afterAll(() => stand.close());

const list = async (query: string, secret?: string): Promise<readonly Shown[]> => {
  const { status, json, text } = await stand.admin('GET', `/models?${query}`, undefined, secret);
  if (status !== 200) throw new Error(text);
  return json['items'] as Shown[];
};
const one = async (id: string, secret?: string) => stand.admin('GET', `/models/${id}`, undefined, secret);

test('a model has its endpoints with names, limits, prices and circuit', async () => {
  expect((await one('openai/gpt-4o')).json).toMatchObject({
    id: 'openai/gpt-4o',
    aliases: expect.arrayContaining(['quick']),
    callable: true,
    whyNot: null,
    endpoints: [
      {
        provider: 'openai',
        format: 'openai-chat',
        upstreamModel: 'gpt-4o-2024',
        callable: true,
        priced: true,
        prices: [
          { kind: 'prompt', unit: 'perMTokens', usd: '2' },
          { kind: 'completion', unit: 'perMTokens', usd: '8' },
        ],
        circuit: { state: 'closed', why: null, since: null, until: null },
      },
    ],
  });
});

test('a model that cannot be called has the reason', async () => {
  const why = async (id: string) => {
    const { json } = await one(id);
    return [json['callable'], json['whyNot']];
  };
  expect(await why('openai/gpt-4o-mini')).toEqual([false, 'hidden']);
  expect(await why('own/keyless')).toEqual([false, 'no-credential']);
  const [elsewhere] = await list('owner=anthropic&limit=1');
  expect([elsewhere?.['callable'], elsewhere?.['whyNot']]).toEqual([false, 'not-configured']);
  expect((await one('own/unpriced')).json).toMatchObject({
    callable: true,
    endpoints: [{ priced: false, prices: [] }],
  });
  expect((await one('own/none')).status).toBe(404);
});

test('pages hold every model once, and the server filters', async () => {
  const seen: string[] = [];
  let after = '';
  for (let more = true; more; ) {
    const { json } = await stand.admin('GET', `/models?limit=50${after}`);
    seen.push(...(json['items'] as Shown[]).map(({ id }) => id));
    more = json['next'] !== null;
    after = `&after=${encodeURIComponent(String(json['next']))}`;
  }
  expect(seen).toEqual([...new Set(seen)].sort());
  expect(seen).toEqual(expect.arrayContaining(['openai/gpt-4o', 'openai/gpt-4o-mini', 'own/unpriced']));
  const callable = await list('callable=true&limit=200');
  expect(callable.map(({ id }) => id)).toEqual(expect.arrayContaining(['openai/gpt-4o', 'own/unpriced']));
  expect(callable.every((model) => model['callable'] === true)).toBe(true);
  expect((await list('q=QUICK')).map(({ id }) => id)).toEqual(['openai/gpt-4o']);
});

test('members see the models they may call, at the prices of their account', async () => {
  const seen = await list('limit=200', acme.secret);
  expect(seen.every(({ callable }) => callable === true)).toBe(true);
  const { json, text } = await one('openai/gpt-4o', acme.secret);
  expect(json['endpoints']).toMatchObject([{ prices: [{ usd: '1' }, { usd: '4' }] }]);
  expect(text).not.toContain('gpt-4o-2024');
  expect((await one('openai/gpt-4o-mini', acme.secret)).status).toBe(404);
  expect((await one('openai/gpt-4o?account=other', acme.secret)).status).toBe(403);
  expect((await one('openai/gpt-4o?account=acme')).json['endpoints']).toMatchObject([{ prices: [{ usd: '1' }, {}] }]);
});

test('models are listed without a database, too', async () => {
  const memory = await openStand({
    config: () => ({ admin: { host: '127.0.0.1', port: 0, secret: OPERATOR_SECRET } }),
  });
  const headers = { authorization: `Bearer ${OPERATOR_SECRET}` };
  const { json } = await callAdmin(
    memory.gateway.adminUrl,
    'GET',
    '/models?q=gpt-4o&callable=true',
    undefined,
    headers,
  );
  expect((json['items'] as Shown[]).map(({ id }) => id)).toContain('openai/gpt-4o');
  await memory.close();
});
