// A provider with a wildcard: unlisted models are called by the caller's name for them, at the operator's price.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { get, idsOf, LIST_PATHS, PROTOCOLS } from '../support/model-lists.ts';
import { KEY } from '../support/stand.ts';

const usd = (value: string) => [{ value, unit: 'perMTokens', currency: 'USD' }];
const PRICED = { prompt: usd('3'), completion: usd('15') };

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand({
    alsoHosts: () => ({
      providers: {},
      models: [
        { id: 'compatible/*', endpoints: [{ provider: 'compatible', pricings: PRICED }] },
        { id: 'nameless/*', endpoints: [{ provider: 'nameless', upstreamModel: 'team/*' }] },
        { id: 'openai/*', endpoints: [{ provider: 'compatible', pricings: PRICED }] },
      ],
    }),
    config: () => ({ catalogue: { changes: { 'openai/gpt-5.2': { hide: true } } } }),
  });
});
afterAll(() => stand.close());

async function ask(model: string, key = KEY) {
  const response = await fetch(`${stand.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  const json = (await response.json()) as { model?: string; error?: { message: string } };
  return { status: response.status, cost: response.headers.get('x-trivium-cost'), json };
}
const upstreamModel = (): unknown => Reflect.get(Object(stand.simulator.truth.last()?.body), 'model');

test('an unlisted model is called by its own name, at the operator’s price', async () => {
  const { status, cost, json } = await ask('compatible/brand-new:7b');
  expect([status, json.model, upstreamModel()]).toEqual([200, 'compatible/brand-new:7b', 'brand-new:7b']);
  expect(Number(cost)).toBeGreaterThan(0);
  expect((await ask('nameless/brand-new')).status).toBe(200);
  expect(upstreamModel()).toBe('team/brand-new');
});

test('a host at the end of a model name still pins that host', async () => {
  for (const host of ['compatible', 'Compatible']) {
    const { status, json } = await ask(`compatible/brand-new:${host}`);
    expect([status, json.model, upstreamModel()]).toEqual([200, 'compatible/brand-new', 'brand-new']);
  }
});

test('listed models keep their own hosts and prices; retired and hidden ones stay unavailable', async () => {
  await ask('openai/gpt-4o');
  expect(stand.records.at(-1)).toMatchObject({ provider: 'openai' });
  await ask('openai/gpt-99');
  expect(stand.records.at(-1)).toMatchObject({ provider: 'compatible' });
  expect((await ask('openai/o4-mini')).json.error?.message).toContain('is retired');
  for (const hidden of ['openai/gpt-5.2', 'openai/gpt-5.2-2025-12-11']) expect((await ask(hidden)).status).toBe(404);
  for (const odd of ['openai/', 'openai/*', 'openai/a b', `openai/${'x'.repeat(200)}`, 'gpt-99'])
    expect([odd, (await ask(odd)).status]).toEqual([odd, 404]);
});

test('no list names the wildcard', async () => {
  for (const protocol of PROTOCOLS) {
    const { json } = await get(stand, LIST_PATHS[protocol]);
    expect(idsOf((json['data'] ?? json['models']) as never).some((id) => id.includes('*'))).toBe(false);
  }
});

test('a prepaid account is refused models without a price, and charged for those with one', async () => {
  await stand.admin('POST', '/accounts', { id: 'paying', name: 'paying', kind: 'prepaid' });
  await stand.admin('POST', '/accounts/paying/credits', { usd: '5' });
  const key = String((await stand.admin('POST', '/accounts/paying/keys', { name: 'k' })).json['secret']);
  const before = stand.simulator.truth.read().length;
  const refused = await ask('nameless/brand-new', key);
  expect([refused.status, refused.json.error?.message]).toEqual([402, expect.stringContaining('has no price')]);
  expect(stand.simulator.truth.read().length).toBe(before);
  expect((await ask('compatible/brand-new', key)).status).toBe(200);
});
