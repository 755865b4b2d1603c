// Prices, account terms and usage through the admin API and the command line: prices set there are charged from their date on.
import { configDiff } from '@trivium/gateway';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { PRICED_MODELS } from '../support/priced-models.ts';
import { standConfig } from '../support/stand.ts';

const MODEL = 'priced/flat';
const PROVIDER = 'compatible';
const usd = (value: string) => [{ value, unit: 'perMTokens', currency: 'USD' }];

const alsoHosts = () => ({ providers: {}, models: PRICED_MODELS });
let stand: AdminStand;
let key: string;
beforeAll(async () => {
  stand = await openAdminStand({ alsoHosts });
  key = (await stand.newAccount('shop')).secret;
});
afterAll(() => stand.close());

const costOf = async (secret = key): Promise<number> => {
  const answered = await stand.chat(secret, { model: MODEL, max_tokens: 100 });
  expect(answered.status).toBe(200);
  return Number(answered.headers.get('x-trivium-cost'));
};
const costs = (nano: number): Promise<void> =>
  vi.waitFor(async () => expect(Math.round((await costOf()) * 1e9)).toBe(nano), 20_000);
const nano = async (): Promise<number> => Math.round((await costOf()) * 1e9);
const setPrice = (more: object) =>
  stand.admin('POST', '/prices', { model: MODEL, provider: PROVIDER, pricings: { completion: usd('0') }, ...more });
const day = (ahead: number): string => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);

describe('prices in the database', () => {
  test('a new price is charged at once, and the previous one again after it is withdrawn', async () => {
    const before = await nano();
    const made = await setPrice({ pricings: { prompt: usd('0'), completion: usd('0') } });
    expect(made).toMatchObject({ status: 201, json: { model: MODEL, from: null, withdrawnAt: null } });
    await costs(0);
    const id = made.json['id'] as string;
    expect((await stand.admin('DELETE', `/prices/${id}`)).json['withdrawnAt']).toEqual(expect.any(String));
    await costs(before);
    expect((await stand.admin('DELETE', `/prices/${id}`)).status).toBe(404);
    const { json } = await stand.admin('GET', '/prices');
    expect(json['items']).toEqual([expect.objectContaining({ id, withdrawnAt: expect.any(String) })]);
  });

  test('a price with a later start date is not charged yet, an ended one no more', async () => {
    const before = await nano();
    await setPrice({ pricings: { prompt: usd('9000') }, from: day(3) });
    await setPrice({ pricings: { prompt: usd('9000') }, until: day(-3) });
    // A third, valid price shows that the node has loaded the others before it.
    const marker = await setPrice({ pricings: { prompt: usd('0'), completion: usd('0') } });
    await costs(0);
    await stand.admin('DELETE', `/prices/${marker.json['id'] as string}`);
    await costs(before);
  });

  test.each([
    [{ model: 'nobody/nothing' }, 'not in the catalogue'],
    [{ provider: 'groq' }, 'no endpoint at groq'],
    [{ pricings: { completion: usd('-1') } }, 'pricings.completion'],
    [{ pricings: { sunshine: usd('1') } }, 'sunshine'],
    [{ from: '2026-02-31' }, 'from'],
    [{ from: day(5), until: day(4) }, 'until'],
  ])('the price %j is refused with a clear message', async (more, words) => {
    const { status, text } = await setPrice(more);
    expect(status).toBe(400);
    expect(text).toContain(words);
  });

  test('only operators set and read prices', async () => {
    expect((await stand.admin('GET', '/prices', undefined, key)).status).toBe(403);
    expect((await stand.admin('POST', '/prices', {}, key)).status).toBe(403);
  });
});

describe('discounts and markups of an account', () => {
  const terms = (body: object, secret?: string) => stand.admin('POST', '/accounts/shop/terms', body, secret);

  test('a discount applies at once, a later-dated one does not, and without one the list price is charged', async () => {
    const list = await nano();
    expect((await terms({ changePercent: -50 })).status).toBe(201);
    await costs(list / 2);
    await terms({ changePercent: 300, from: day(2) });
    await terms({ changePercent: null });
    await costs(list);
    const { json } = await stand.admin('GET', '/accounts/shop/terms', undefined, key);
    expect((json['items'] as { changePercent: number | null }[]).map((one) => one.changePercent)).toEqual([
      300,
      null,
      -50,
    ]);
  });

  test.each([{ changePercent: -101 }, { changePercent: 1.00001 }, { changePercent: '5' }, {}])(
    'the account terms %j are refused',
    async (body) => {
      expect((await terms(body)).status).toBe(400);
    },
  );

  test('an account cannot set its own terms, and terms of an unknown account are 404', async () => {
    expect((await terms({ changePercent: -100 }, key)).status).toBe(403);
    expect((await stand.admin('POST', '/accounts/nobody/terms', { changePercent: 1 })).status).toBe(404);
    expect((await stand.admin('GET', '/accounts/nobody/terms')).status).toBe(404);
  });
});

describe('usage', () => {
  test('operators read the same usage as the account; the price version on a bill can be looked up', async () => {
    const answered = await stand.chat(key, { model: MODEL, max_tokens: 100 });
    const id = answered.headers.get('x-request-id') ?? '';
    const one = await stand.admin('GET', `/accounts/shop/usage/${id}`, undefined, key);
    expect(one).toMatchObject({ status: 200, json: { id, model: MODEL, outcome: 'ok' } });
    await vi.waitFor(async () => {
      const { json } = await stand.admin('GET', '/accounts/shop/usage?by=model');
      expect(json['data']).toEqual([expect.objectContaining({ model: MODEL, failed: 0 })]);
    }, 20_000);
    const version = one.json['price_version'] as string;
    await vi.waitFor(async () => {
      const { status, json } = await stand.admin('GET', `/price-versions/${version}`);
      expect(status).toBe(200);
      expect(json).toMatchObject({ version, rows: { prices: expect.any(Object) } });
    }, 20_000);
    expect((await stand.admin('GET', '/price-versions/nothing')).status).toBe(404);
  });

  test('usage of unknown accounts, other accounts and bad queries is refused', async () => {
    const other = (await stand.newAccount('other')).secret;
    const id = (await stand.chat(key, { model: MODEL })).headers.get('x-request-id') ?? '';
    expect((await stand.admin('GET', `/accounts/other/usage/${id}`, undefined, other)).status).toBe(404);
    expect((await stand.admin('GET', `/accounts/shop/usage/${id}`, undefined, other)).status).toBe(404);
    expect((await stand.admin('GET', '/accounts/shop/usage/no-id')).status).toBe(404);
    expect((await stand.admin('GET', '/accounts/nobody/usage')).status).toBe(404);
    expect(await stand.admin('GET', '/accounts/shop/usage?by=colour')).toMatchObject({
      status: 400,
      json: { error: { field: 'by' } },
    });
  });
});

test('the command line accepts every example that its help and its message for a wrong price give', async () => {
  const run = async (line: string) => {
    const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: stand.gateway.adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET });
    await runCommandLine(line.split(' '), terminal);
    return terminal;
  };
  const set = `prices set ${MODEL} ${PROVIDER} --from ${day(9)} --price`;
  const texts = [(await run(`${set} prompt:1`)).errors, (await run('prices set --help')).output];
  for (const text of texts) {
    const examples = text.join('\n').match(/[a-z_]+=[0-9.]*[0-9](\/[A-Za-z]+)?/g) ?? [];
    expect(examples.length).toBeGreaterThanOrEqual(2);
    for (const example of examples) expect((await run(`${set} ${example}`)).errors, example).toEqual([]);
  }
});

test('the command line sets prices and terms, and shows usage', async () => {
  const run = async (line: string): Promise<unknown> => {
    const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: stand.gateway.adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET });
    await runCommandLine(`${line} --json`.split(' '), terminal);
    expect(terminal.errors).toEqual([]);
    return JSON.parse(terminal.output.join('\n'));
  };
  const set = await run(`prices set ${MODEL} ${PROVIDER} --from ${day(9)} --price prompt=2.5 completion=10`);
  expect(set).toMatchObject({ from: day(9), pricings: { prompt: usd('2.5'), completion: usd('10') } });
  const { id } = set as { id: string };
  expect(await run('prices list')).toContainEqual(expect.objectContaining({ id, withdrawnAt: null }));
  expect(await run(`prices withdraw ${id}`)).toMatchObject({ id, withdrawnAt: expect.any(String) });
  expect(await run('prices terms shop -12.5')).toMatchObject({ changePercent: -12.5 });
  expect(await run('prices terms shop none')).toMatchObject({ changePercent: null });
  expect(await run('prices terms shop')).toContainEqual(expect.objectContaining({ changePercent: -12.5 }));
  await stand.chat(key, { model: MODEL });
  await vi.waitFor(
    async () =>
      expect(await run('usage sums shop --by model')).toContainEqual(expect.objectContaining({ model: MODEL })),
    20_000,
  );
  const answered = await stand.chat(key, { model: MODEL });
  const requestId = answered.headers.get('x-request-id') ?? '';
  expect(await run(`usage show shop ${requestId}`)).toMatchObject({ id: requestId, outcome: 'ok' });
});

describe('beside the configuration file', () => {
  const diff = async (hosts: typeof alsoHosts, more: object) => {
    const config = () => ({ database: { url: stand.database.url }, ...more });
    return configDiff(standConfig(stand.simulator.url, { alsoHosts: hosts, config }));
  };

  test('prices and terms of the database are shown beside those of the file, with the one that is used', async () => {
    await stand.newAccount('listed');
    await stand.admin('POST', '/accounts/listed/terms', { changePercent: -20 });
    await stand.admin('POST', '/accounts/other/terms', { changePercent: 5, from: day(2) });
    const pricings = { prompt: usd('1'), completion: usd('2') };
    for (const model of ['priced/free', 'priced/tiered']) await setPrice({ model, pricings, from: day(1) });
    const prices = [{ provider: PROVIDER, pricings: { prompt: usd('3') } }];
    const rows = await diff(alsoHosts, {
      catalogue: { changes: { 'priced/free': { prices }, 'priced/unpriced': { prices } } },
      prices: { accounts: { listed: 15 } },
    });
    const both = `prompt, completion from ${day(1)}`;
    const price = (name: string, file: string, database: string, used: string) =>
      expect.objectContaining({ what: 'price', name: `priced/${name} at ${PROVIDER}`, file, database, used });
    expect(rows).toEqual(
      expect.arrayContaining([
        price('free', 'prompt', both, 'file for prompt; database for completion'),
        price('tiered', '-', both, 'database'),
        price('unpriced', 'prompt', '-', 'file'),
        { what: 'terms', name: 'listed', file: '+15 %', database: `-20 % from ${day(0)}`, used: 'file' },
        { what: 'terms', name: 'other', file: '-', database: `+5 % from ${day(2)}`, used: 'database' },
      ]),
    );
  });

  test('a stored price for a model outside the catalogue is reported as unused', async () => {
    const { json } = await setPrice({ model: 'priced/free', from: day(4) });
    const rows = await diff(() => ({ providers: {}, models: [] }), {});
    const lost = rows.find(({ name }) => name === json['id']);
    expect(lost).toMatchObject({
      database: 'priced/free',
      used: expect.stringMatching(/^none: .*not in the catalogue/),
    });
  });
});
