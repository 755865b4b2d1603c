/** Payment orders in the database. */
import { type Generated, type Selectable, sql } from 'kysely';
import { type Db, OPERATOR, type Store } from '../../store/postgres/store.ts';
import { appendAudit } from '../api/change.ts';
import { storedAs, type TableOf } from '../api/shown.ts';
import type { Order } from './contract.ts';
import type { AgreedOrder, PaymentOrder } from './payment.ts';
import type { Orders } from './take-payment.ts';

type PaymentOrdersTable = TableOf<
  typeof Order,
  {
    readonly amount_minor: bigint;
    readonly state: Generated<Order['state']>;
    readonly event_id: Generated<string | null>;
  }
>;

declare module '../../store/postgres/tables.ts' {
  interface Tables {
    readonly payment_orders: PaymentOrdersTable;
  }
}

export type OrderRow = Selectable<PaymentOrdersTable>;

/** Undefined if an order with this id exists. */
export const insertOrder = (db: Db, order: AgreedOrder): Promise<OrderRow | undefined> =>
  db
    .insertInto('payment_orders')
    .values(storedAs(order))
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

export const findOrder = (db: Db, accountId: string, id: string): Promise<OrderRow | undefined> =>
  db
    .selectFrom('payment_orders')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();

export const listOrders = (db: Db, accountId: string, after: string, limit: number): Promise<OrderRow[]> =>
  db
    .selectFrom('payment_orders')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

/** An event names an order but no account, so the gateway looks it up across all accounts. */
export class StoredOrders implements Orders<Db> {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async find(orderId: string): Promise<PaymentOrder | undefined> {
    const row = await this.#store.within(OPERATOR, (db) =>
      db.selectFrom('payment_orders').selectAll().where('id', '=', orderId).executeTakeFirst(),
    );
    return row && shown(row);
  }

  async markPaid(db: Db, { accountId, id, provider }: PaymentOrder, eventId: string): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('payment_orders')
      .set({ state: 'paid', event_id: eventId, paid_at: sql<Date>`now()` })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .where('state', '=', 'open')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    const actor = `payments:${provider}`;
    await appendAudit(db, { accountId, actor, action: 'order.paid', subject: id, detail: { eventId } });
    return true;
  }
}

const shown = (row: OrderRow): PaymentOrder => ({
  accountId: row.account_id,
  id: row.id,
  provider: row.provider,
  amountMinor: row.amount_minor,
  currency: row.currency,
  creditNano: row.credit_nano,
  state: row.state,
  eventId: row.event_id,
});
