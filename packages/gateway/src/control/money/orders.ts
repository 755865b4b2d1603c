/** Payment orders at the admin API: what an account is to pay to which provider, and the credit it gets. */

import { findAccount } from '../accounts/rows.ts';
import { change } from '../api/change.ts';
import { listOfItems, Page } from '../api/contract.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { type DatabasePorts, pageOf, pageSize, routeWith } from '../api/route.ts';
import { shown } from '../api/shown.ts';
import { parseUsd } from '../api/usd.ts';
import { NewOrder, Order } from './contract.ts';
import { findOrder, insertOrder, listOrders, type OrderRow } from './order-rows.ts';
import type { PaymentAdapter } from './payment.ts';

export type OrderPorts = DatabasePorts & {
  /** Undefined for a payment provider that is not configured. */
  readonly payments: (provider: string) => PaymentAdapter | undefined;
};

const route = routeWith<OrderPorts>();

const show = (row: OrderRow): Order => shown(Order, row, { amountMinor: Number(row.amount_minor) });

export const orderRoutes = [
  route({
    method: 'POST',
    path: '/accounts/{account}/orders',
    name: 'createOrder',
    summary:
      'Creates an order: an amount to pay, and the credit granted when a signed event confirms exactly that payment.',
    permission: 'operator',
    body: NewOrder,
    status: 201,
    answer: Order,
    run: (asked) => {
      const { accountId, body, payments } = asked;
      const { id = newId('ord'), provider, amountMinor, currency, creditUsd } = body;
      if (payments(provider) === undefined)
        throw new AdminProblem('invalid', 'is no payment provider of the configuration', 'provider');
      const creditNano = parseUsd(creditUsd, 'creditUsd');
      if (creditNano <= 0n) throw new AdminProblem('invalid', 'must be more than nothing', 'creditUsd');
      return change(asked, 'order.create', async (db) => {
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        const order = { accountId, id, provider, amountMinor: BigInt(amountMinor), currency, creditNano };
        const made = await insertOrder(db, order);
        if (made === undefined) throw new AdminProblem('conflict', 'There is an order of this id.', 'id');
        return { answer: show(made), subject: id, detail: { provider, amountMinor, currency, creditUsd } };
      });
    },
  }),
  route({
    method: 'GET',
    path: '/accounts/{account}/orders',
    name: 'listOrders',
    summary: 'Lists the orders of an account, by id.',
    permission: 'viewer',
    query: Page,
    answer: listOfItems(Order),
    run: ({ store, accountId, query }) =>
      store.within(accountId, async (db) => {
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        const limit = pageSize(query.limit);
        return pageOf(await listOrders(db, accountId, query.after ?? '', limit), limit, show);
      }),
  }),
  route({
    method: 'GET',
    path: '/accounts/{account}/orders/{id}',
    name: 'getOrder',
    summary: 'Returns an order.',
    permission: 'viewer',
    answer: Order,
    run: ({ store, accountId, id }) =>
      store.within(accountId, async (db) => {
        const order = await findOrder(db, accountId, id);
        if (order === undefined) throw notFound('Order', id);
        return show(order);
      }),
  }),
];
