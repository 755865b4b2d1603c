/** Orders in the database. */
import { type Selectable, sql } from 'kysely';
import { type Db, OPERATOR, type Store } from './store.ts';
import type { PaymentOrdersTable } from './tables.ts';

export type OrderRow = Selectable<PaymentOrdersTable>;

export type NewOrder = {
  readonly accountId: string;
  readonly id: string;
  readonly provider: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly creditNano: bigint;
};

export const insertOrder = (db: Db, order: NewOrder): Promise<OrderRow> =>
  db
    .insertInto('payment_orders')
    .values({
      account_id: order.accountId,
      id: order.id,
      provider: order.provider,
      amount_minor: order.amountMinor,
      currency: order.currency,
      credit_nano: order.creditNano,
    })
    .returningAll()
    .executeTakeFirstOrThrow();

/** An event names an order and no account, so the gateway itself looks, for nobody in particular. */
export class StoredOrders {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async find(orderId: string) {
    const row = await this.#store.within(OPERATOR, (db) =>
      db.selectFrom('payment_orders').selectAll().where('id', '=', orderId).executeTakeFirst(),
    );
    return row && shown(row);
  }

  async markPaid({ accountId, id }: { readonly accountId: string; readonly id: string }, eventId: string) {
    const changed = await this.#store.within(accountId, (db) =>
      db
        .updateTable('payment_orders')
        .set({ state: 'paid', event_id: eventId, paid_at: sql<Date>`now()` })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('state', '=', 'open')
        .executeTakeFirst(),
    );
    return changed.numUpdatedRows > 0n;
  }
}

const shown = (row: OrderRow) => ({
  accountId: row.account_id,
  id: row.id,
  provider: row.provider,
  amountMinor: row.amount_minor,
  currency: row.currency,
  creditNano: row.credit_nano,
  state: row.state,
  eventId: row.event_id,
});
