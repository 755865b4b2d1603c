/** Prices at the admin API: operators' changes to the catalogue, the prices of a version, and an account's terms. */
import type { PriceChange } from '../../models/catalogue/price-change.ts';
import { OPERATOR } from '../../store/postgres/store.ts';
import { findAccount } from '../accounts/rows.ts';
import { actorName } from '../api/actor.ts';
import { appendAudit, change, withBefore } from '../api/change.ts';
import { listOfItems, Page } from '../api/contract.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { pageOf, pageSize, routeWith } from '../api/route.ts';
import { shown } from '../api/shown.ts';
import { NewPrice, NewTerms, Price, PriceVersion, Terms } from './contract.ts';
import type { PricePorts } from './price-port.ts';
import {
  findPriceVersion,
  insertPriceChange,
  insertTerms,
  listPriceChanges,
  listTerms,
  type PriceChangeRow,
  type TermsRow,
  withdrawPriceChange,
} from './rows.ts';

const route = routeWith<PricePorts>();

const show = (row: PriceChangeRow): Price => shown(Price, row);

const showTerms = ({ from_at, change_percent, created_at }: TermsRow): Terms => ({
  from: from_at.toISOString(),
  changePercent: change_percent === null ? null : Number(change_percent),
  createdAt: created_at.toISOString(),
});

const MAX_TERMS = 200;

export const priceRoutes = [
  route({
    method: 'GET',
    path: '/prices',
    name: 'listPrices',
    summary: 'Lists price overrides, including withdrawn ones.',
    permission: 'operator',
    query: Page,
    answer: listOfItems(Price),
    run: async ({ store, query }) => {
      const limit = pageSize(query.limit);
      const rows = await store.within(OPERATOR, (db) => listPriceChanges(db, query.after ?? '', limit));
      return pageOf(rows, limit, show);
    },
  }),
  route({
    method: 'POST',
    path: '/prices',
    name: 'setPrice',
    summary:
      'Overrides the prices of a model at a provider, optionally for a period. The configuration file takes precedence.',
    permission: 'operator',
    body: NewPrice,
    status: 201,
    answer: Price,
    run: async (asked) => {
      const { prices, actor, body } = asked;
      const { model, ...rest } = body;
      const price: PriceChange = { modelId: model, ...rest };
      const problem = await prices.problemWith(price);
      if (problem !== undefined) throw new AdminProblem('invalid', problem);
      return change(asked, 'price.set', async (db) => {
        const made = await insertPriceChange(db, newId('price'), price, actorName(actor));
        return { answer: show(made), subject: made.id, detail: body };
      });
    },
  }),
  route({
    method: 'DELETE',
    path: '/prices/{id}',
    name: 'withdrawPrice',
    summary: 'Withdraws price overrides. Past charges are unchanged.',
    permission: 'operator',
    answer: Price,
    run: (asked) =>
      change(asked, 'price.withdraw', async (db) => {
        const withdrawn = await withdrawPriceChange(db, asked.id);
        if (withdrawn === undefined) throw notFound('Price', asked.id);
        return { answer: show(withdrawn) };
      }),
  }),
  route({
    method: 'GET',
    path: '/price-versions/{id}',
    name: 'getPriceVersion',
    summary: 'Returns the prices behind a price version on a bill.',
    permission: 'operator',
    answer: PriceVersion,
    run: async ({ store, id }) => {
      const found = await store.within(OPERATOR, (db) => findPriceVersion(db, id));
      if (found === undefined) throw notFound('Price version', id);
      return { version: id, firstSeen: found.first_seen.toISOString(), rows: found.rows };
    },
  }),
  route({
    method: 'GET',
    path: '/accounts/{account}/terms',
    name: 'listTerms',
    summary: 'Lists the markups and discounts of an account, latest first.',
    permission: 'viewer',
    answer: listOfItems(Terms),
    run: ({ store, accountId }) =>
      store.within(accountId, async (db) => {
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        return { items: (await listTerms(db, accountId, MAX_TERMS)).map(showTerms), next: null };
      }),
  }),
  route({
    method: 'POST',
    path: '/accounts/{account}/terms',
    name: 'setTerms',
    summary:
      'Sets a markup or discount for an account, at once or from a day. The configuration file takes precedence.',
    permission: 'operator',
    body: NewTerms,
    status: 201,
    answer: Terms,
    run: ({ store, actor, accountId, body }) =>
      store.within(OPERATOR, async (db) => {
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        const [before] = await listTerms(db, accountId, 1);
        const made = await insertTerms(db, accountId, body, actorName(actor));
        const detail = withBefore(body, before && showTerms(before));
        const audited = { actor: actorName(actor), action: 'terms.set', subject: accountId, detail };
        await appendAudit(db, { accountId, ...audited });
        return showTerms(made);
      }),
  }),
];
