/** No credit, budget used up or rate limit reached: refused in each protocol's error format, before anything is sent. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AdminStand, openAdminStand } from '../../support/admin-stand.ts';
import { call, errorWord, PROTOCOL_CALLS } from '../../support/every-protocol.ts';
import { PRICED_MODELS } from '../../support/priced-models.ts';

const MODEL = 'priced/flat';
const WORDS: Readonly<Record<string, string>> = {
  chat: 'insufficient_quota/insufficient_quota',
  responses: 'insufficient_quota/insufficient_quota',
  messages: 'billing_error',
  genai: 'RESOURCE_EXHAUSTED',
};

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand({
    config: () => ({ rateLimits: { accounts: { hurried: { requestsPerMinute: 1 } } } }),
    alsoHosts: () => ({ providers: {}, models: PRICED_MODELS }),
  });
});
afterAll(() => stand.close());

async function keyOf(account: string, usd: string, kind = 'prepaid'): Promise<Record<string, string>> {
  await stand.admin('POST', '/accounts', { id: account, name: account, kind });
  if (usd !== '0') await stand.admin('POST', `/accounts/${account}/credits`, { usd });
  const { json } = await stand.admin('POST', `/accounts/${account}/keys`, { name: 'k' });
  return { authorization: `Bearer ${String(json['secret'])}` };
}

const sent = (): number => stand.simulator.truth.read().length;

test.each(PROTOCOL_CALLS.map((protocol) => [protocol.name, protocol] as const))(
  '[E-08] %s: without credit a call is 402 in the protocol’s error format, marked as not retryable, and nothing is sent',
  async (name, protocol) => {
    const before = sent();
    const poor = await call(stand, protocol, MODEL, undefined, await keyOf(`poor-${name}`, '0'));
    expect(poor.status).toBe(402);
    expect(errorWord(protocol, poor)).toBe(WORDS[name]);
    expect(poor.headers.get('x-should-retry')).toBe('false');
    expect(sent()).toBe(before);
    const paying = await call(stand, protocol, MODEL, undefined, await keyOf(`paying-${name}`, '5'));
    expect(paying.status).toBe(200);
  },
);

test('[E-08] [N-30] a used-up budget is 402, even though there is credit', async () => {
  const [chat] = PROTOCOL_CALLS;
  const key = await keyOf('bounded', '5');
  expect((await call(stand, chat, MODEL, undefined, key)).status).toBe(200);
  const budget = { scope: 'account', span: 'day', usd: '0.000000001' };
  expect((await stand.admin('POST', '/accounts/bounded/budgets', budget)).status).toBe(200);
  await vi.waitFor(async () => expect((await call(stand, chat, MODEL, undefined, key)).status).toBe(402), 20_000);
});

test('an account that becomes prepaid is refused without credit from then on', async () => {
  const [chat] = PROTOCOL_CALLS;
  const key = await keyOf('trusted', '0', 'unlimited');
  expect((await call(stand, chat, MODEL, undefined, key)).status).toBe(200);
  // The debt is known only after the charge, and must be paid before the account can change its kind.
  const spent = async (): Promise<unknown> => (await stand.admin('GET', '/accounts/trusted/credits')).json['spentUsd'];
  await vi.waitFor(async () => expect(Number(await spent())).toBeGreaterThan(0), 20_000);
  await stand.admin('POST', '/accounts/trusted/credits', { usd: String(await spent()) });
  await stand.admin('PATCH', '/accounts/trusted', { kind: 'prepaid' });
  const { json } = await stand.admin('GET', '/accounts/trusted/credits');
  expect(json['kind']).toBe('prepaid');
  await vi.waitFor(async () => expect((await call(stand, chat, MODEL, undefined, key)).status).toBe(402), 10_000);
});

test('[N-30] requests above the rate limit are 429 with the time to wait', async () => {
  const [chat] = PROTOCOL_CALLS;
  const key = await keyOf('hurried', '5');
  const answers = await Promise.all(Array.from({ length: 12 }, () => call(stand, chat, MODEL, undefined, key)));
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
});
