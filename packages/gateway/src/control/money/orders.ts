/** Payment orders at the admin API: what an account is to pay to which provider, and the credit it gets. */
import { formatNanoUsd } from '../../kernel/usd.ts';
import { findAccount } from '../accounts/rows.ts';
import { actorName } from '../api/actor.ts';
import { listOfItems, NewOrder, Order, Page } from '../api/contract.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { pageOf, pageSize, route } from '../api/route.ts';
import { appendAudit } from '../audit/rows.ts';
import { findOrder, insertOrder, listOrders, type OrderRow } from './order-rows.ts';
import { parseUsd } from './routes.ts';

const show = (row: OrderRow): Order => ({
  id: row.id,
  accountId: row.account_id,
  provider: row.provider,
  amountMinor: Number(row.amount_minor),
  currency: row.currency,
  creditUsd: formatNanoUsd(row.credit_nano),
  state: row.state,
  createdAt: row.created_at.toISOString(),
  paidAt: row.paid_at?.toISOString() ?? null,
});

export const orderRoutes = [
  route({
    method: 'POST',
    path: '/accounts/{account}/orders',
    name: 'createOrder',
    summary: 'What an account is to pay, and the credit it gets when a signed event says that exactly this was paid.',
    permission: 'operator',
    body: NewOrder,
    status: 201,
    answer: Order,
    run: ({ store, actor, accountId, body, payments }) => {
      const { id = newId('ord'), provider, amountMinor, currency, creditUsd } = body;
      if (payments(provider) === undefined)
        throw new AdminProblem('invalid', 'is no payment provider of the configuration', 'provider');
      const creditNano = parseUsd(creditUsd, 'creditUsd');
      if (creditNano <= 0n) throw new AdminProblem('invalid', 'must be more than nothing', 'creditUsd');
      return store.within(accountId, async (db) => {
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        const order = { accountId, id, provider, amountMinor: BigInt(amountMinor), currency, creditNano };
        const made = await insertOrder(db, order);
        if (made === undefined) throw new AdminProblem('conflict', 'There is an order of this id.', 'id');
        const detail = { provider, amountMinor, currency, creditUsd };
        await appendAudit(db, { accountId, actor: actorName(actor), action: 'order.create', subject: id, detail });
        return show(made);
      });
    },
  }),
  route({
    method: 'GET',
    path: '/accounts/{account}/orders',
    name: 'listOrders',
    summary: 'The orders of an account, by id.',
    permission: 'viewer',
    query: Page,
    answer: listOfItems(Order),
    run: ({ store, accountId, query }) =>
      store.within(accountId, async (db) => {
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        const limit = pageSize(query.limit);
        return pageOf(await listOrders(db, accountId, query.after ?? '', limit), limit, ({ id }) => id, show);
      }),
  }),
  route({
    method: 'GET',
    path: '/accounts/{account}/orders/{id}',
    name: 'getOrder',
    summary: 'One order.',
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
