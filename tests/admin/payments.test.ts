// Signed payment events on the running server: an order is paid once, by exactly the agreed amount, and only with a signature.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { overspend } from '../ledger-sql/money-stand.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';

const SECRET = 'whsec_canary_0123456789abcdef';
const nowS = (): number => Math.floor(Date.now() / 1000);

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand({ config: () => ({ payments: { cards: { secrets: [SECRET] } } }) });
  await stand.admin('POST', '/accounts', { id: 'payer', name: 'payer', kind: 'prepaid' });
});
afterAll(() => stand.close());

type PaymentEvent = {
  readonly event?: string;
  readonly order?: string;
  readonly amount?: number;
  readonly currency?: string;
  readonly type?: string;
};

const bodyOf = ({ event = 'evt_1', order = '', amount = 2000, currency = 'usd', type }: PaymentEvent): string =>
  JSON.stringify({
    id: event,
    type: type ?? 'checkout.session.completed',
    data: {
      object: { client_reference_id: order, amount_total: amount, currency, payment_status: 'paid' },
    },
  });

const signed = (body: string, timeS = nowS(), secret = SECRET): string =>
  `t=${timeS},v1=${createHmac('sha256', secret).update(`${timeS}.${body}`).digest('hex')}`;

async function send(body: string, signature: string | undefined = signed(body), provider = 'cards') {
  const answer = await fetch(`${stand.gateway.adminUrl}/payments/v1/${provider}/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(signature !== '' && { 'stripe-signature': signature }) },
    body,
  });
  return { status: answer.status, text: await answer.text() };
}

let made = 0;
async function newOrder(): Promise<string> {
  made += 1;
  const order = { id: `o_${made}`, provider: 'cards', amountMinor: 2000, currency: 'usd', creditUsd: '20' };
  expect((await stand.admin('POST', '/accounts/payer/orders', order)).status).toBe(201);
  return order.id;
}
const creditUsd = async (): Promise<number> =>
  Number((await stand.admin('GET', '/accounts/payer/credits')).json['creditUsd']);
const stateOf = async (order: string): Promise<unknown> =>
  (await stand.admin('GET', `/accounts/payer/orders/${order}`)).json['state'];

test('a valid event pays its order once, however often and however concurrently it arrives', async () => {
  const order = await newOrder();
  const before = await creditUsd();
  const body = bodyOf({ event: 'evt_once', order });
  const answers = await Promise.all(Array.from({ length: 6 }, () => send(body)));
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  // The same event with a new signature, as providers send it on redelivery.
  expect((await send(body, signed(body, nowS() - 60))).status).toBe(200);
  expect(await creditUsd()).toBe(before + 20);
  expect(await stateOf(order)).toBe('paid');
  const { json } = await stand.admin('GET', '/accounts/payer/audit');
  const paid = (json['items'] as { action: string; actor: string; subject: string }[]).filter(
    ({ action, subject }) => action === 'order.paid' && subject === order,
  );
  expect(paid).toMatchObject([{ actor: 'payments:cards' }]);
});

// S3
test('a payment smaller than the debt of its account is credited, and its order has an entry', async () => {
  await stand.admin('POST', '/accounts', { id: 'debtor', name: 'debtor', kind: 'prepaid' });
  const store = new Store(stand.database.settings);
  await overspend(store, 'debtor', 50_000_000_000n);
  await store.close();
  const order = { id: 'o_debt', provider: 'cards', amountMinor: 2000, currency: 'usd', creditUsd: '20' };
  expect((await stand.admin('POST', '/accounts/debtor/orders', order)).status).toBe(201);
  expect(await send(bodyOf({ event: 'evt_debt', order: order.id }))).toMatchObject({ status: 200 });
  expect((await stand.admin('GET', '/accounts/debtor/orders/o_debt')).json).toMatchObject({ state: 'paid' });
  expect((await stand.admin('GET', '/accounts/debtor/credits')).json).toMatchObject({
    creditUsd: '20',
    spentUsd: '50',
    availableUsd: '0',
  });
});

test.each([
  ['without a signature', () => ''],
  ["with a stranger's", (body: string) => signed(body, nowS(), 'whsec_of_a_stranger_')],
  ['of another body', () => signed(bodyOf({ order: 'another' }))],
  ['that is late: a replay', (body: string) => signed(body, nowS() - 3600)],
  ['of the future', (body: string) => signed(body, nowS() + 3600)],
])('an event %s is refused without details', async (_, sign) => {
  const order = await newOrder();
  const before = await creditUsd();
  const body = bodyOf({ event: `evt_${order}`, order });
  expect(await send(body, sign(body))).toEqual({
    status: 400,
    text: '{"error":{"code":"invalid","message":"This event was rejected."}}',
  });
  expect(await creditUsd()).toBe(before);
  expect(await stateOf(order)).toBe('open');
});

test.each([
  ['less than was agreed', { amount: 1999 }],
  ['more than was agreed', { amount: 2001 }],
  ['as much of another currency', { currency: 'idr' }],
  ['an unknown order', { order: 'o_none' }],
])('an event for %s credits no account, and the delivery fails so that the provider reports it', async (_, more) => {
  const order = await newOrder();
  const before = await creditUsd();
  expect((await send(bodyOf({ event: `evt_${order}`, order, ...more }))).status).toBe(409);
  expect(await creditUsd()).toBe(before);
  expect(await stateOf(order)).toBe('open');
});

test('a second event for a paid order credits no account', async () => {
  const order = await newOrder();
  expect((await send(bodyOf({ event: 'evt_a', order }))).status).toBe(200);
  const before = await creditUsd();
  expect((await send(bodyOf({ event: 'evt_b', order }))).status).toBe(409);
  expect(await creditUsd()).toBe(before);
});

test('valid events of other types are acknowledged; unconfigured payment providers are 404', async () => {
  expect(await send(bodyOf({ type: 'charge.refunded' }))).toEqual({ status: 200, text: '{"credited":false}' });
  const body = bodyOf({});
  expect((await send(body, signed(body), 'coins')).status).toBe(404);
  const order = { provider: 'coins', amountMinor: 1, currency: 'usd', creditUsd: '1' };
  expect(await stand.admin('POST', '/accounts/payer/orders', order)).toMatchObject({
    status: 400,
    json: { error: { field: 'provider' } },
  });
});

test('operators create orders, by API and command line, and the account sees its own', async () => {
  const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: stand.gateway.adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET });
  const terms = ['--provider', 'cards', '--amount', '500', '--credit', '5', '--id', 'typed'];
  await runCommandLine(['orders', 'create', 'payer', ...terms], terminal);
  await runCommandLine(['orders', 'list', 'payer'], terminal);
  expect(terminal.errors).toEqual([]);
  expect(terminal.output.join('\n')).toMatch(/^typed +cards +500 +usd +\$5\.00 +open/m);
  const taken = await stand.admin('POST', '/accounts/payer/orders', {
    id: 'typed',
    provider: 'cards',
    amountMinor: 1,
    currency: 'usd',
    creditUsd: '1000',
  });
  expect(taken.status).toBe(409);
  const { secret } = await stand.newAccount('neighbour');
  expect((await stand.admin('GET', '/accounts/payer/orders/typed', undefined, secret)).status).toBe(404);
  expect((await stand.admin('GET', '/accounts/neighbour/orders/typed', undefined, secret)).status).toBe(404);
  const own = { provider: 'cards', amountMinor: 1, currency: 'usd', creditUsd: '1000' };
  expect((await stand.admin('POST', '/accounts/neighbour/orders', own, secret)).status).toBe(403);
});
