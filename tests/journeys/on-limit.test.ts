// What a budget template does not cover goes to the model it names, at that model's price, and is shown as a loss.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import type { Json } from '../support/every-protocol.ts';
import { PRICED_MODELS } from '../support/priced-models.ts';

const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];
const SMALL = {
  id: 'priced/small',
  contextLength: 64_000,
  maxOutputTokens: 8000,
  endpoints: [
    { provider: 'compatible', upstreamModel: 'small', pricings: { prompt: usd('0.1'), completion: usd('1') } },
  ],
};
const ASKED = { model: 'priced/flat', max_tokens: 10 };
const LIMIT = '0.0004';
const REFUSAL = 'The budget of this key does not cover this request.';

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand({
    alsoHosts: () => ({ providers: {}, models: [...PRICED_MODELS, SMALL] }),
    config: () => ({ policies: [{ name: 'exact', scope: { account: 'exact' }, strict: true }] }),
  });
});
afterAll(() => stand.close());

const LIST = (account: string): string => `/accounts/${account}/budget-templates`;

/** An account whose keys have a limit that two or three calls reach; its key. */
async function limited(account: string, onLimit: unknown, rights?: Json): Promise<string> {
  const { secret } = await stand.newAccount(account, { manages: 'owner', ...rights });
  const set = await stand.admin('POST', LIST(account), { each: 'key', per: 'month', usd: LIMIT, onLimit });
  expect([set.status, set.json]).toMatchObject([200, { onLimit }]);
  return secret;
}

type Reply = Awaited<ReturnType<AdminStand['chat']>>;
const messageOf = ({ json }: Reply): string => (json['error'] as { message: string }).message;

/** Answers of the model asked for, as long as it fits; then the other reply. */
async function upToLimit(account: string, secret: string): Promise<{ readonly served: number; readonly next: Reply }> {
  let wasSettled = false;
  for (let served = 0; served < 20; ) {
    const next = await stand.chat(secret, ASKED);
    if (next.status === 200 && next.json['model'] === ASKED.model) {
      expect(next.headers.get('x-trivium-losses')).toBeNull();
      served++;
    } else if (wasSettled) return { served, next };
    // What was held for calls before it may be more than they cost.
    else await settled(account);
    wasSettled = next.json['model'] !== ASKED.model;
  }
  throw new Error('the limit was not reached');
}

const settled = (account: string): Promise<void> =>
  vi.waitFor(async () => expect((await spentBy(account))['heldUsd']).toBe('0'), { timeout: 20_000, interval: 20 });

const spentBy = async (account: string): Promise<Json> =>
  ((await stand.admin('GET', `${LIST(account)}/values?each=key&per=month`)).json['items'] as Json[])[0]!;

test('the model asked for answers until the limit, then the named one, with a loss, in the record and the state', async () => {
  const secret = await limited('free', { model: 'priced/free', usd: '0' });
  const { served, next } = await upToLimit('free', secret);
  expect(served).toBeGreaterThan(0);
  expect([next.status, next.json['model']]).toEqual([200, 'priced/free']);
  expect(next.headers.get('x-trivium-losses')).toBe('model');
  expect(stand.records.at(-1)).toMatchObject({
    askedModel: 'priced/flat',
    modelId: 'priced/free',
    losses: [{ path: 'model', why: 'approximated' }],
    chargedNanoUsd: 0n,
    decidedBy: { onLimit: { model: 'priced/free', budget: 'each key per month' } },
  });
  const state = await spentBy('free');
  expect(Number(state['spentUsd'])).toBeLessThanOrEqual(Number(LIMIT));
  expect(state['onLimitSince']).toEqual(expect.any(String));
  const explained = await fetch(`${stand.url}/api/v1/requests/${next.headers.get('x-request-id')}`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  expect(await explained.json()).toMatchObject({
    model: 'priced/free',
    losses: [{ field: 'model', why: 'approximated' }],
    decision: { on_limit: { model: 'priced/free', budget: 'each key per month' } },
  });
  // It costs nothing more, however often it is called; and streams are served by it, too.
  for (let count = 0; count < 3; count++) expect((await stand.chat(secret, ASKED)).status).toBe(200);
  const streamed = await stand.chat(secret, { ...ASKED, stream: true });
  expect([streamed.status, streamed.headers.get('x-trivium-losses')]).toEqual([200, 'model']);
  expect((await spentBy('free'))['spentUsd']).toBe(state['spentUsd']);
});

test('what the named model may spend beyond the limit ends as well, and then the refusal names the budget', async () => {
  const secret = await limited('beyond', { model: 'priced/small', usd: '0.0001' });
  expect((await upToLimit('beyond', secret)).next.json['model']).toBe('priced/small');
  const next = async (): Promise<Reply> => {
    await settled('beyond');
    return stand.chat(secret, ASKED);
  };
  let reply = await next();
  for (let count = 0; count < 40 && reply.status === 200; count++) {
    expect(reply.json['model']).toBe('priced/small');
    reply = await next();
  }
  expect([reply.status, messageOf(reply)]).toEqual([402, REFUSAL]);
  const spent = Number((await spentBy('beyond'))['spentUsd']);
  expect(spent).toBeGreaterThan(Number(LIMIT));
  expect(spent).toBeLessThanOrEqual(Number(LIMIT) + 0.0001);
  // Asked for by its own name, it goes no further either; and nothing is lost by that.
  expect((await stand.chat(secret, { ...ASKED, model: 'priced/small' })).status).toBe(402);
  const own = await limited('own', { model: 'priced/small', usd: '0.0002' });
  expect((await upToLimit('own', own)).next.status).toBe(200);
  const named = await stand.chat(own, { ...ASKED, model: 'priced/small' });
  expect([named.status, named.headers.get('x-trivium-losses')]).toEqual([200, null]);
});

test('a caller that may lose nothing, has narrowed the choice or may not use the named model is refused as before', async () => {
  const secret = await limited('narrow', { model: 'priced/free', usd: '0' });
  await upToLimit('narrow', secret);
  for (const more of [
    { provider: { require_parameters: true } },
    { models: ['priced/flat'] },
    { model: 'priced/flat:compatible' },
    { provider: { allow_fallbacks: false } },
  ]) {
    const reply = await stand.chat(secret, { ...ASKED, ...more });
    expect([reply.status, messageOf(reply)], JSON.stringify(more)).toEqual([402, REFUSAL]);
  }
  const bound = await limited('bound', { model: 'priced/free', usd: '0' }, { models: ['priced/flat'] });
  expect((await upToLimit('bound', bound)).next.status).toBe(402);
  const exact = await limited('exact', { model: 'priced/free', usd: '0' });
  expect((await upToLimit('exact', exact)).next.status).toBe(402);
});

test('calls at the same moment at the last cent never exceed what each model may spend', async () => {
  const secret = await limited('race', { model: 'priced/small', usd: '0.0002' });
  const replies = await Promise.all(Array.from({ length: 24 }, () => stand.chat(secret, ASKED)));
  const models = replies.filter(({ status }) => status === 200).map(({ json }) => json['model']);
  expect(new Set(models)).toEqual(new Set(['priced/flat', 'priced/small']));
  const spent = Number((await spentBy('race'))['spentUsd']);
  expect(spent).toBeLessThanOrEqual(Number(LIMIT) + 0.0002);
  expect((await stand.admin('GET', '/accounts/race/credits')).json).toMatchObject({ overrunUsd: '0' });
});

test('a model that does not exist is refused when the template is set', async () => {
  await stand.newAccount('unknown');
  const body = { each: 'key', per: 'month', usd: '1', onLimit: { model: 'nobody/none' } };
  const { status, json } = await stand.admin('POST', LIST('unknown'), body);
  expect([status, json['error']]).toMatchObject([400, { field: 'onLimit.model' }]);
  const wrong = { ...body, onLimit: { model: 'priced/free', usd: '-1' } };
  expect((await stand.admin('POST', LIST('unknown'), wrong)).status).toBe(400);
});
