// Spending limits as Claude Code is told of them: headers, /api/oauth/usage, and refusals that the official SDK reads.
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { PRICED_MODELS } from '../support/priced-models.ts';
import { signInsFor } from '../support/signed-in.ts';

const signIn = signInsFor();
const WAIT = { timeout: 20_000, interval: 50 };
const NAME = 'anthropic-ratelimit-unified';
let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand({
    alsoHosts: () => ({ providers: {}, models: PRICED_MODELS }),
    config: () => ({ agents: { limitHelp: 'ask finops.' } }),
  });
});
afterAll(() => stand.close());

let accounts = 0;
const newAccount = async (): Promise<string> => {
  const id = `acme${++accounts}`;
  await stand.newAccount(id);
  return id;
};
const template = (account: string, per: string, usd: string, more: object = {}) =>
  stand.admin('POST', `/accounts/${account}/budget-templates`, { each: 'member', per, usd, ...more });
const anthropic = (token: string) =>
  new Anthropic({ baseURL: stand.url, authToken: token, apiKey: null, maxRetries: 3 });
const CALL = { model: 'priced/flat', max_tokens: 10, messages: [{ role: 'user' as const, content: 'Hello' }] };
const call = (token: string, more: object = {}) =>
  fetch(`${stand.url}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify({ ...CALL, ...more }),
  });
type Usage = {
  extra_usage: { monthly_limit: number | null; used_credits: number; utilization: number | null };
  limits: { group: string; percent: number; resets_at: string; severity: string; is_active: boolean }[];
};
const usage = async (token: string): Promise<Usage> => {
  const reply = await fetch(`${stand.url}/api/oauth/usage`, { headers: { authorization: `Bearer ${token}` } });
  expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store']);
  return (await reply.json()) as Usage;
};
const failureOf = async (work: Promise<unknown>): Promise<InstanceType<typeof Anthropic.APIError>> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Anthropic.APIError)) throw new Error('no API error');
  return error;
};
const messageOf = (error: InstanceType<typeof Anthropic.APIError>): string =>
  (error.error as { error: { message: string } }).error.message;

describe('below the limit', () => {
  test('answers say what is spent of the fullest limit, the report agrees to the second, and keys are told nothing', async () => {
    const account = await newAccount();
    await template(account, 'month', '500');
    await template(account, 'day', '0.002');
    const token = signIn({ account, member: 'mem1' });
    expect((await call(token)).status).toBe(200);
    // What a call has cost is posted a moment later.
    await vi.waitFor(async () => expect((await usage(token)).limits[0]?.percent).toBeGreaterThan(0), WAIT);
    const { headers } = await call(token, { stream: true });
    const used = Number(headers.get(`${NAME}-overage-utilization`));
    expect(used).toBeGreaterThan(0);
    const status = used > 0.75 ? 'allowed_warning' : 'allowed';
    const reset = headers.get(`${NAME}-reset`);
    expect({
      status: headers.get(`${NAME}-status`),
      claim: headers.get(`${NAME}-representative-claim`),
      overage: headers.get(`${NAME}-overage-status`),
      reset: headers.get(`${NAME}-overage-reset`),
    }).toEqual({ status, claim: 'overage', overage: status, reset });
    const { extra_usage, limits } = await usage(token);
    const [day, month] = limits;
    expect(limits.map(({ group, is_active }) => [group, is_active])).toEqual([
      ['daily', true],
      ['monthly', false],
    ]);
    expect(Date.parse(day?.resets_at ?? '') / 1000).toBe(Number(reset));
    const nextMonth = new Date();
    expect(month?.resets_at).toBe(
      new Date(Date.UTC(nextMonth.getUTCFullYear(), nextMonth.getUTCMonth() + 1)).toISOString(),
    );
    expect(extra_usage).toMatchObject({ is_enabled: true, monthly_limit: 0, used_credits: 0, currency: 'USD' });
    expect(Number.isInteger(day?.percent)).toBe(true);
    expect(extra_usage.utilization).toBe(day?.percent);
    const key = (await stand.admin('POST', `/accounts/${account}/keys`, { name: 'k', rights: {} })).json['secret'];
    for (const other of [key as string, signIn({ account, member: 'mem1', client: 'trivium-cli' })]) {
      const names = [...(await call(other)).headers.keys()];
      expect(names.filter((name) => name.startsWith(NAME))).toEqual([]);
    }
  });

  test('warns past three quarters and past 95 percent, and is never used up while calls are served', async () => {
    const account = await newAccount();
    const token = signIn({ account, member: 'mem1' });
    await template(account, 'month', '1000');
    await call(token);
    const spentUsd = await vi.waitFor(async () => {
      const { json } = await stand.admin('GET', `/accounts/${account}/budget-templates/values?each=member&per=month`);
      const [value] = json['items'] as { spentUsd: string }[];
      expect(Number(value?.spentUsd)).toBeGreaterThan(0);
      return Number(value?.spentUsd);
    }, WAIT);
    for (const [share, threshold, severity] of [
      [0.5, null, 'normal'],
      [0.8, '0.75', 'warning'],
      [0.99, '0.95', 'critical'],
    ] as const) {
      await template(account, 'month', (spentUsd / share).toFixed(9));
      await vi.waitFor(async () => {
        const { limits } = await usage(token);
        expect(limits.map(({ percent, severity }) => [percent, severity])).toEqual([[share * 100, severity]]);
      }, WAIT);
      // As cached by the report; a refusal has headers of its own.
      const { headers, status } = await call(token, { model: 'priced/free' });
      expect([status, headers.get(`${NAME}-overage-utilization`)]).toEqual([200, String(share)]);
      expect(headers.get(`${NAME}-overage-surpassed-threshold`)).toBe(threshold);
      expect(headers.get(`${NAME}-status`)).toBe(threshold === null ? 'allowed' : 'allowed_warning');
    }
  });

  test('without a limit the report has sums of the day, week and month, and answers no headers', async () => {
    const account = await newAccount();
    const token = signIn({ account, member: 'mem1' });
    const reply = await call(token);
    expect([...reply.headers.keys()].filter((name) => name.startsWith(NAME))).toEqual([]);
    const window = { limit: null, used_credits: expect.any(Number), utilization: null };
    expect(await usage(token)).toEqual({
      extra_usage: {
        is_enabled: true,
        monthly_limit: null,
        used_credits: expect.any(Number),
        utilization: null,
        currency: 'USD',
        daily: window,
        weekly: window,
      },
      limits: [],
    });
  });

  test('limits of the provider are not passed on', async () => {
    const account = await newAccount();
    const body = { model: 'anthropic/claude-sonnet-4-5' };
    for (const stream of [false, true]) {
      const { status, headers } = await call(signIn({ account, member: 'mem1' }), { ...body, stream });
      expect([status, headers.get('x-trivium-provider')]).toEqual([200, 'anthropic']);
      expect([...headers.keys()].filter((name) => name.startsWith('anthropic-ratelimit'))).toEqual([]);
    }
  });

  test('what other accounts of a group have spent is not told', async () => {
    const [group, account] = [await newAccount(), await newAccount()];
    await stand.admin('POST', `/accounts/${account}/parent`, { parentId: group });
    await stand.admin('POST', `/accounts/${group}/budgets`, { scope: 'group', span: 'month', usd: '1' });
    expect((await usage(signIn({ account, member: 'm' }))).limits).toEqual([]);
  });
});

describe('at the limit', () => {
  test('the SDK gets one 429 with the time of the reset, and shows our sentence; keys keep 402', async () => {
    const account = await newAccount();
    await template(account, 'day', '0.000000001');
    const token = signIn({ account, member: 'mem1' });
    const requests = vi.spyOn(globalThis, 'fetch');
    const error = await failureOf(anthropic(token).messages.create(CALL));
    expect(requests).toHaveBeenCalledTimes(1);
    requests.mockRestore();
    const headers = error.headers as Headers;
    const midnight = new Date().setUTCHours(24, 0, 0, 0) / 1000;
    expect([error.status, error.type]).toEqual([429, 'billing_error']);
    expect(messageOf(error)).toMatch(
      /^Your daily budget of \$0\.00 is used up until [A-Z][a-z]{2} \d{1,2}, \d{4}, 00:00 UTC; ask finops\.$/,
    );
    expect(Object.fromEntries([...headers].filter(([name]) => name.startsWith(NAME)))).toEqual({
      [`${NAME}-status`]: 'rejected',
      [`${NAME}-reset`]: String(midnight),
      [`${NAME}-overage-reset`]: String(midnight),
      [`${NAME}-overage-utilization`]: '1',
      [`${NAME}-overage-surpassed-threshold`]: '1',
      [`${NAME}-overage-period`]: 'daily',
      [`${NAME}-overage-disabled-reason`]: 'org_spend_cap_reached',
    });
    expect(headers.get('x-should-retry')).toBe('false');
    const wait = Number(headers.get('retry-after'));
    expect(Math.abs(midnight - Date.now() / 1000 - wait)).toBeLessThan(5);
    const limits = (await usage(token)).limits;
    expect(Date.parse(limits[0]?.resets_at ?? '') / 1000).toBe(midnight);

    const key = (await stand.admin('POST', `/accounts/${account}/keys`, { name: 'k', rights: {} })).json['secret'];
    for (const other of [key as string, signIn({ account, member: 'mem2', client: 'trivium-cli' })]) {
      const refused = await call(other);
      expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([402, 'false']);
      expect([...refused.headers.keys()].filter((name) => name.startsWith(NAME))).toEqual([]);
    }
  });

  test('a limit without a window, and credit that is short, stay 402: no time would help', async () => {
    const account = await newAccount();
    await template(account, 'total', '0.000000001');
    const error = await failureOf(anthropic(signIn({ account, member: 'mem1' })).messages.create(CALL));
    expect([error.status, error.type]).toEqual([402, 'billing_error']);
    await stand.admin('POST', '/accounts', { id: 'poor', name: 'poor', kind: 'prepaid' });
    const short = await failureOf(anthropic(signIn({ account: 'poor', member: 'mem1' })).messages.create(CALL));
    expect(short.status).toBe(402);
  });

  test('a budget that the whole account shares is named as such', async () => {
    const account = await newAccount();
    await stand.admin('POST', `/accounts/${account}/budgets`, { scope: 'account', span: 'month', usd: '0.000000001' });
    const error = await failureOf(anthropic(signIn({ account, member: 'mem1' })).messages.create(CALL));
    expect([error.status, messageOf(error)]).toEqual([429, expect.stringContaining("Your account's monthly budget")]);
  });
});

describe('models', () => {
  test('outside the rights are not found for Claude Code, and forbidden for keys and other programs', async () => {
    const account = await newAccount();
    const rights = { models: ['anthropic/*'] };
    const requests = vi.spyOn(globalThis, 'fetch');
    const error = await failureOf(anthropic(signIn({ account, rights })).messages.create(CALL));
    expect(requests).toHaveBeenCalledTimes(1);
    requests.mockRestore();
    expect([error.status, error.type]).toEqual([404, 'not_found_error']);
    expect(messageOf(error)).toContain("may not use the model 'priced/flat'");
    const other = await failureOf(anthropic(signIn({ account, rights, client: 'app' })).messages.create(CALL));
    expect([other.status, other.headers?.get('x-should-retry')]).toEqual([403, 'false']);
  });

  test('are listed by right, in the form that the SDK reads', async () => {
    const account = await newAccount();
    const token = signIn({ account, rights: { models: ['anthropic/*'] } });
    const page = await anthropic(token).models.list({ limit: 1000 });
    expect(page.data.map(({ id }) => id.split('/')[0])).toEqual(page.data.map(() => 'anthropic'));
    expect(page.data.length).toBeGreaterThan(0);
    expect(page.data[0]).toMatchObject({ type: 'model', display_name: expect.any(String) });
    expect(page.has_more).toBe(false);
    // Its own request has no header that names the protocol.
    const bare = await fetch(`${stand.url}/v1/models?limit=1000`, { headers: { authorization: `Bearer ${token}` } });
    expect(await bare.json()).toMatchObject({
      has_more: false,
      first_id: page.data[0]?.id,
      last_id: page.data.at(-1)?.id,
    });
  });
});
