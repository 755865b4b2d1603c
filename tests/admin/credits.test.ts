// Credit through the admin API and the command line: without it a prepaid account is refused, with it charged exactly.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { overspend } from '../ledger-sql/money-stand.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { type CannedUpstream, openCannedUpstream, plainAnswer } from '../support/canned-upstream.ts';
import { completion } from '../support/messages-canned.ts';
import { PRICED_MODELS } from '../support/priced-models.ts';

const MODEL = { model: 'priced/flat', max_tokens: 100 };

const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];
/** A model at a host that ignores the output cap. */
const TALKER = {
  id: 'priced/talker',
  contextLength: 64_000,
  maxOutputTokens: 8000,
  endpoints: [{ provider: 'canned', upstreamModel: 'any', pricings: { prompt: usd('1.25'), completion: usd('10') } }],
};

let stand: AdminStand;
let canned: CannedUpstream;
let key: string;
beforeAll(async () => {
  canned = await openCannedUpstream();
  stand = await openAdminStand({
    alsoHosts: () => ({
      providers: { canned: { dialect: 'openai-chat', baseUrl: canned.url, credential: 'sk-canned' } },
      models: [...PRICED_MODELS, TALKER],
    }),
  });
  await stand.admin('POST', '/accounts', { id: 'paying', name: 'paying', kind: 'prepaid' });
  const made = await stand.admin('POST', '/accounts/paying/keys', { name: 'app', rights: { manages: 'admin' } });
  key = made.json['secret'] as string;
});
afterAll(async () => {
  await stand.close();
  await canned.close();
});

const credit = async (secret?: string) =>
  (await stand.admin('GET', '/accounts/paying/credits', undefined, secret)).json;
const payIn = (body: object, secret?: string) => stand.admin('POST', '/accounts/paying/credits', body, secret);

test('a call without credit is refused; after a payment it is served and charged exactly', async () => {
  expect(await credit()).toEqual({
    kind: 'prepaid',
    creditUsd: '0',
    spentUsd: '0',
    heldUsd: '0',
    leasedUsd: '0',
    creditLimitUsd: '0',
    overrunUsd: '0',
    availableUsd: '0',
  });
  expect((await stand.chat(key, MODEL)).status).toBe(402);
  expect((await payIn({ usd: '1.50', id: 'first', memo: 'by hand' })).json).toMatchObject({ creditUsd: '1.5' });
  const answered = await stand.chat(key, MODEL);
  expect(answered.status).toBe(200);
  const cost = answered.headers.get('x-trivium-cost');
  await vi.waitFor(async () => expect(await credit()).toMatchObject({ spentUsd: cost }), 20_000);
});

test('a payment sent again counts once and is audited once, and its id is refused for another amount', async () => {
  await stand.admin('POST', '/accounts', { id: 'twice', name: 'twice', kind: 'prepaid' });
  const pay = (usd: string, memo?: string) => stand.admin('POST', '/accounts/twice/credits', { usd, id: 'i7', memo });
  expect((await pay('20')).json).toMatchObject({ creditUsd: '20' });
  expect((await pay('20.00', 'again')).json).toMatchObject({ creditUsd: '20' });
  for (const other of ['2', '200', '-20'])
    expect(await pay(other)).toMatchObject({ status: 409, json: { error: { code: 'conflict', field: 'id' } } });
  expect((await stand.admin('GET', '/accounts/twice/credits')).json).toMatchObject({ creditUsd: '20' });
  const { json } = await stand.admin('GET', '/accounts/twice/audit');
  const actions = (json['items'] as { action: string }[]).map(({ action }) => action);
  expect(actions.filter((action) => action === 'credit.pay-in')).toHaveLength(1);
});

test('amounts leased by nodes are shown separately from amounts held by requests', async () => {
  await stand.admin('POST', '/accounts', { id: 'leasing', name: 'leasing', kind: 'prepaid' });
  const made = await stand.admin('POST', '/accounts/leasing/keys', { name: 'app' });
  await stand.admin('POST', '/accounts/leasing/credits', { usd: '20' });
  expect((await stand.chat(made.json['secret'] as string, MODEL)).status).toBe(200);
  const shown = async () => (await stand.admin('GET', '/accounts/leasing/credits')).json;
  await vi.waitFor(async () => expect(Number((await shown())['spentUsd'])).toBeGreaterThan(0), 20_000);
  const { heldUsd, leasedUsd, availableUsd, spentUsd } = (await shown()) as Record<string, string>;
  expect(heldUsd).toBe('0');
  expect(Number(leasedUsd)).toBeGreaterThan(0);
  expect(Number(availableUsd) + Number(leasedUsd) + Number(spentUsd)).toBeCloseTo(20, 9);
});

test('a postpaid account is served up to its credit limit, which cannot be set below its debt', async () => {
  const create = (more: object) =>
    stand.admin('POST', '/accounts', { id: 'later', name: 'later', kind: 'postpaid', ...more });
  expect(await create({})).toMatchObject({ status: 400, json: { error: { field: 'creditLimitUsd' } } });
  expect((await create({ creditLimitUsd: '1' })).status).toBe(201);
  const made = await stand.admin('POST', '/accounts/later/keys', { name: 'app' });
  const secret = made.json['secret'] as string;
  expect((await stand.chat(secret, MODEL)).status).toBe(200);
  const shown = async () => (await stand.admin('GET', '/accounts/later/credits')).json;
  await vi.waitFor(async () => expect(Number((await shown())['spentUsd'])).toBeGreaterThan(0), 20_000);
  expect(await shown()).toMatchObject({ kind: 'postpaid', creditUsd: '0', creditLimitUsd: '1' });
  const change = (body: object) => stand.admin('PATCH', '/accounts/later', body);
  expect((await change({ creditLimitUsd: '250.5' })).status).toBe(200);
  expect(await shown()).toMatchObject({ creditLimitUsd: '250.5' });
  expect(await change({ creditLimitUsd: '0.000000001' })).toMatchObject({ status: 409 });
  expect(await change({ kind: 'prepaid' })).toMatchObject({ status: 409 });
  expect(await stand.admin('PATCH', '/accounts/paying', { creditLimitUsd: '1' })).toMatchObject({
    status: 400,
    json: { error: { message: 'is for postpaid accounts only' } },
  });
});

test('an unlimited account that has spent more than its credit becomes prepaid only when that is paid for', async () => {
  const { secret } = await stand.newAccount('spender');
  expect((await stand.chat(secret, MODEL)).status).toBe(200);
  const shown = async () => (await stand.admin('GET', '/accounts/spender/credits')).json;
  await vi.waitFor(async () => expect(Number((await shown())['spentUsd'])).toBeGreaterThan(0), 20_000);
  const change = () => stand.admin('PATCH', '/accounts/spender', { kind: 'prepaid', name: 'renamed' });
  expect(await change()).toMatchObject({ status: 409, json: { error: { field: 'kind' } } });
  expect((await stand.admin('GET', '/accounts/spender')).json).toMatchObject({ kind: 'unlimited', name: 'spender' });
  await stand.admin('POST', '/accounts/spender/credits', { usd: String((await shown())['spentUsd']), id: 'debt' });
  expect(await change()).toMatchObject({ status: 200, json: { kind: 'prepaid', name: 'renamed' } });
  expect(await shown()).toMatchObject({ kind: 'prepaid' });
  await vi.waitFor(async () => expect((await stand.chat(secret, MODEL)).status).toBe(402), 20_000);
});

test('estimated usage is charged up to the cap of the request, and the caller sees that cost', async () => {
  const spentNano = async (): Promise<number> => Math.round(Number((await credit())['spentUsd']) * 1e9);
  const before = await spentNano();
  canned.say(plainAnswer(completion({ content: 'word '.repeat(2000) }, 'stop', { usage: undefined })));
  const asked = { model: TALKER.id, max_tokens: 1, usage: { include: true } };
  const answered = await stand.chat(key, asked);
  const shownNano = Math.round(Number(answered.headers.get('x-trivium-cost')) * 1e9);
  expect(answered.json['usage']).toBeUndefined();
  await vi.waitFor(async () => expect((await spentNano()) - before).toBe(shownNano), 20_000);
  expect(stand.records.at(-1)?.bill).toMatchObject({ estimated: true, usage: { completion: 1 } });
  expect(shownNano).toBe(Number(stand.records.at(-1)?.bill?.cost.nanoUsd));
});

test('the same payment counts once, and a withdrawal above the available credit is refused', async () => {
  const before = await credit();
  expect((await payIn({ usd: '1.50', id: 'first' })).json).toMatchObject({ creditUsd: before['creditUsd'] });
  expect(await payIn({ usd: '-1000' })).toMatchObject({ status: 409, json: { error: { field: 'usd' } } });
  expect(await credit()).toMatchObject({ creditUsd: before['creditUsd'] });
});

test.each(['', 'ten', '1e3', '1.0000000001', '1,50'])('the amount %j is refused', async (usd) => {
  expect((await payIn({ usd })).status).toBe(400);
});

test('an account sees its own credit and cannot add to it', async () => {
  expect(await credit(key)).toMatchObject({ kind: 'prepaid' });
  expect((await payIn({ usd: '5' }, key)).status).toBe(403);
  expect((await stand.admin('GET', '/accounts/nobody/credits', undefined, key)).status).toBe(404);
  expect((await stand.admin('GET', '/accounts/nobody/credits')).status).toBe(404);
});

test('a member budget limits all keys of the member, and no others', async () => {
  await stand.admin('POST', '/accounts', { id: 'family', name: 'family', kind: 'prepaid' });
  await stand.admin('POST', '/accounts/family/credits', { usd: '10' });
  const member = await stand.admin('POST', '/accounts/family/members', { name: 'Ann', role: 'developer' });
  const memberId = member.json['id'] as string;
  const newKey = async (of: object): Promise<string> =>
    (await stand.admin('POST', '/accounts/family/keys', { name: 'app', ...of })).json['secret'] as string;
  const [hers, alsoHers, another] = [await newKey({ memberId }), await newKey({ memberId }), await newKey({})];
  expect((await stand.chat(hers, MODEL)).status).toBe(200);
  const budget = { scope: `member:${memberId}`, span: 'total', usd: '0.000001' };
  expect(await stand.admin('POST', '/accounts/family/budgets', budget)).toMatchObject({ status: 200, json: budget });
  for (const secret of [hers, alsoHers])
    await vi.waitFor(async () => {
      const { status, text } = await stand.chat(secret, MODEL);
      expect(status).toBe(402);
      expect(text).toContain('The budget of this member does not cover this request.');
    }, 20_000);
  expect((await stand.chat(another, MODEL)).status).toBe(200);
  const unknown = await stand.admin('POST', '/accounts/family/budgets', { ...budget, scope: 'member:nobody' });
  expect(unknown).toMatchObject({ status: 400, json: { error: { field: 'scope' } } });
});

test('members change and remove their own budgets, and not those of the operator', async () => {
  const { secret } = await stand.newAccount('capped', { manages: 'admin' });
  const path = '/accounts/capped/budgets';
  const set = (span: string, usd: string, as?: string) =>
    stand.admin('POST', path, { scope: 'account', span, usd }, as);
  const remove = (span: string, as?: string) =>
    stand.admin('DELETE', `${path}?scope=account&span=${span}`, undefined, as);
  const setters = async () =>
    (
      (await stand.admin('GET', path, undefined, secret)).json['items'] as {
        span: string;
        usd: string;
        setBy: string;
      }[]
    ).map(({ span, usd, setBy }) => `${span} ${usd} ${setBy}`);
  expect((await set('month', '10')).status).toBe(200);
  expect((await set('day', '1', secret)).status).toBe(200);
  expect(await set('month', '1000', secret)).toMatchObject({ status: 403 });
  expect(await remove('month', secret)).toMatchObject({ status: 403 });
  expect((await set('day', '2', secret)).status).toBe(200);
  expect(await setters()).toEqual(['day 2 member', 'month 10 operator']);
  expect((await set('day', '3')).status).toBe(200);
  expect(await remove('day', secret)).toMatchObject({ status: 403 });
  expect((await remove('day')).status).toBe(200);
  expect((await set('day', '1', secret)).status).toBe(200);
  expect((await remove('day', secret)).status).toBe(200);
  expect(await setters()).toEqual(['month 10 operator']);
});

test('a budget below zero and one of a key of another account are refused', async () => {
  const { secret } = await stand.newAccount('bounded', { manages: 'admin' });
  const { keyId } = await stand.newAccount('elsewhere');
  const set = (body: object) => stand.admin('POST', '/accounts/bounded/budgets', { span: 'day', ...body }, secret);
  expect(await set({ scope: 'account', usd: '-1' })).toMatchObject({ status: 400, json: { error: { field: 'usd' } } });
  expect(await set({ scope: `key:${keyId}`, usd: '1' })).toMatchObject({
    status: 400,
    json: { error: { field: 'scope', message: `Key "${keyId}" not found.` } },
  });
  expect((await set({ scope: 'key:configured', usd: '1' })).status).toBe(200);
});

test('a budget limits spending until it is removed', async () => {
  const set = await stand.admin(
    'POST',
    '/accounts/paying/budgets',
    { scope: 'account', span: 'day', usd: '0.000001' },
    key,
  );
  expect(set.status).toBe(200);
  await vi.waitFor(async () => expect((await stand.chat(key, MODEL)).status).toBe(402), 20_000);
  const name = '/accounts/paying/budgets?scope=account&span=day';
  await stand.newAccount('stranger');
  const strange = await stand.admin('POST', '/accounts/stranger/keys', { name: 'b', rights: { manages: 'owner' } });
  const stranger = strange.json['secret'] as string;
  expect((await stand.admin('DELETE', name, undefined, stranger)).status).toBe(404);
  const viewer = await stand.admin('POST', '/accounts/paying/keys', { name: 'v', rights: { manages: 'viewer' } });
  expect((await stand.admin('DELETE', name, undefined, viewer.json['secret'] as string)).status).toBe(403);
  expect((await stand.admin('DELETE', '/accounts/paying/budgets?scope=account', undefined, key)).status).toBe(400);
  expect((await stand.chat(key, MODEL)).status).toBe(402);
  expect(await stand.admin('DELETE', name, undefined, key)).toMatchObject({
    status: 200,
    json: { scope: 'account', span: 'day' },
  });
  await vi.waitFor(async () => expect((await stand.chat(key, MODEL)).status).toBe(200), 20_000);
  expect((await stand.admin('DELETE', name, undefined, key)).status).toBe(404);
  const { json } = await stand.admin('GET', '/accounts/paying/audit', undefined);
  const actions = (json['items'] as { action: string }[]).map(({ action }) => action);
  expect(actions).toEqual(expect.arrayContaining(['credit.pay-in', 'budget.set', 'budget.remove']));
  expect(actions.filter((action) => action === 'budget.remove')).toHaveLength(1);
});

test('the command line adds and shows credit and sets budgets', async () => {
  const run = async (line: string): Promise<unknown> => {
    const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: stand.gateway.adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET });
    await runCommandLine(`${line} --json`.split(' '), terminal);
    return JSON.parse(terminal.output.join('\n'));
  };
  await run('accounts create --id shell --kind prepaid');
  // S3: a payment below the debt is booked, too.
  const store = new Store(stand.database.settings);
  await run('accounts create --id debtor --kind prepaid');
  await overspend(store, 'debtor', 7_000_000_000n);
  await store.close();
  expect(await run('credits add debtor 5 --id late')).toMatchObject({
    creditUsd: '5',
    spentUsd: '7',
    overrunUsd: '7',
  });
  expect(await run('credits add shell 20.00 --id one')).toMatchObject({ creditUsd: '20', availableUsd: '20' });
  expect(await run('credits show shell')).toMatchObject({ creditUsd: '20' });
  expect(await run('budgets set shell 5 --per day')).toEqual({ scope: 'account', span: 'day', usd: '5' });
  const budget = {
    scope: 'account',
    name: null,
    span: 'day',
    usd: '5',
    spentUsd: '0',
    heldUsd: '0',
    setBy: 'operator',
  };
  expect(await run('budgets list shell')).toEqual([budget]);
  const { id } = (await run('members add shell --name Ann --role developer')) as { id: string };
  await run(`budgets set shell 2.5 --scope member:${id} --per total`);
  const hers = {
    scope: `member:${id}`,
    name: 'Ann',
    span: 'total',
    usd: '2.5',
    spentUsd: '0',
    heldUsd: '0',
    setBy: 'operator',
  };
  expect(await run('budgets list shell')).toEqual([budget, hers]);
  expect(await run('budgets remove shell --per day')).toEqual({ scope: 'account', span: 'day' });
  expect(await run('budgets list shell')).toEqual([hers]);
});
