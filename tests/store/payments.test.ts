// A payment becomes credit exactly once, whatever is duplicated, late, reordered or interrupted by a crash.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertAccount } from '../../packages/gateway/src/control/accounts/rows.ts';
import { insertOrder, StoredOrders } from '../../packages/gateway/src/control/money/order-rows.ts';
import type { Payment } from '../../packages/gateway/src/control/money/payment.ts';
import { type CreditLedger, takePayment } from '../../packages/gateway/src/control/money/take-payment.ts';
import { type Db, OPERATOR, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

/** A fake ledger: a repeated deposit adds nothing, and the order update fails with a failed deposit. */
class Book implements CreditLedger<Db> {
  readonly deposits = new Map<string, bigint>();
  state: 'well' | 'broken' | 'refuses' = 'well';
  async deposit(...[{ accountId, id, nano }, note]: Parameters<CreditLedger<Db>['deposit']>) {
    if (this.state === 'broken') throw new Error('the ledger does not answer');
    if (this.state === 'refuses') return 'refused' as const;
    await store.within(accountId, note);
    const name = `${accountId} ${id}`;
    if (this.deposits.has(name)) return 'repeated' as const;
    this.deposits.set(name, nano);
    return 'entered' as const;
  }
}

let database: TestDatabase;
let store: Store;
let orders: StoredOrders;
let ledger: Book;
let made = 0;
let payment: Payment;

beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  orders = new StoredOrders(store);
  await store.within(OPERATOR, async (db) => {
    await insertAccount(db, { id: 'one', name: 'one', kind: 'prepaid' });
    await insertAccount(db, { id: 'two', name: 'two', kind: 'prepaid' });
  });
});
afterAll(async () => {
  await store.close();
  await database.drop();
});
beforeEach(async () => {
  ledger = new Book();
  made += 1;
  const order = { provider: 'cards', amountMinor: 2000n, currency: 'usd', creditNano: 20_000_000_000n };
  await store.within('one', (db) => insertOrder(db, { ...order, accountId: 'one', id: `order_${made}` }));
  payment = {
    provider: 'cards',
    eventId: `evt_${made}`,
    orderId: `order_${made}`,
    amountMinor: 2000n,
    currency: 'usd',
  };
});
const credit = (): bigint[] => [...ledger.deposits.values()];

test('a paid order gives its agreed credit', async () => {
  expect(await takePayment(payment, orders, ledger)).toBe('credited');
  expect(credit()).toEqual([20_000_000_000n]);
  expect(await orders.find(payment.orderId)).toMatchObject({ state: 'paid', eventId: payment.eventId });
});

test('a repeated event, also a concurrent one, gives no more credit', async () => {
  const taken = await Promise.all(Array.from({ length: 8 }, () => takePayment(payment, orders, ledger)));
  expect(taken.filter((one) => one === 'credited')).toHaveLength(1);
  expect(await takePayment(payment, orders, ledger)).toBe('already-credited');
  expect(credit()).toEqual([20_000_000_000n]);
});

test('a second event for a paid order gives no credit', async () => {
  await takePayment(payment, orders, ledger);
  expect(await takePayment({ ...payment, eventId: 'evt_other' }, orders, ledger)).toBe('paid-otherwise');
  expect(credit()).toHaveLength(1);
});

test('after a crash between deposit and order the next delivery completes the order', async () => {
  const crashing = { find: (id: string) => orders.find(id), markPaid: () => Promise.reject(new Error('crash')) };
  await expect(takePayment(payment, crashing, ledger)).rejects.toThrow('crash');
  expect(credit()).toEqual([]);
  expect(await takePayment(payment, orders, ledger)).toBe('credited');
  expect(credit()).toHaveLength(1);
});

test('without the ledger the order stays open for the next delivery', async () => {
  ledger.state = 'broken';
  await expect(takePayment(payment, orders, ledger)).rejects.toThrow('ledger');
  ledger.state = 'well';
  expect(await takePayment(payment, orders, ledger)).toBe('credited');
});

// S3
test('a deposit that the ledger refuses leaves the order open', async () => {
  ledger.state = 'refuses';
  expect(await takePayment(payment, orders, ledger)).toBe('refused-by-ledger');
  expect(await orders.find(payment.orderId)).toMatchObject({ state: 'open' });
  ledger.state = 'well';
  expect(await takePayment(payment, orders, ledger)).toBe('credited');
});

describe('nothing is credited for', () => {
  test.each([
    ['an unknown order', { orderId: 'order_none' }, 'unknown-order'],
    ["another provider's order", { provider: 'coins' }, 'unknown-order'],
    ['less than was agreed', { amountMinor: 1999n }, 'other-amount'],
    ['more than was agreed', { amountMinor: 2001n }, 'other-amount'],
    ['as much of another currency', { currency: 'idr' }, 'other-amount'],
  ] as const)('%s', async (_, more, taken) => {
    expect(await takePayment({ ...payment, ...more }, orders, ledger)).toBe(taken);
    expect(credit()).toEqual([]);
    expect(await orders.find(payment.orderId)).toMatchObject({ state: 'open' });
  });
});

test("accounts do not see each other's orders", async () => {
  const seen = await store.within('two', (db) => db.selectFrom('payment_orders').select('id').execute());
  expect(seen).toEqual([]);
});
