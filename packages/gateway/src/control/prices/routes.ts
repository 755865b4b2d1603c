/** Prices at the admin API: operators' changes to the catalogue, the prices of a version, and an account's terms. */
import type { PriceChange } from '../../models/catalogue/price-change.ts';
import { OPERATOR } from '../../store/postgres/store.ts';
import { findAccount } from '../accounts/rows.ts';
import { actorName } from '../api/actor.ts';
import { listOfItems, Page } from '../api/contract.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { pageOf, pageSize, route } from '../api/route.ts';
import { appendAudit } from '../audit/rows.ts';
import { NewPrice, NewTerms, Price, PriceVersion, Terms } from './contract.ts';
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

const show = (row: PriceChangeRow): Price => ({
  id: row.id,
  model: row.model_id,
  provider: row.provider,
  dialect: row.dialect,
  from: row.from_day,
  until: row.until_day,
  pricings: row.pricings,
  createdAt: row.created_at.toISOString(),
  withdrawnAt: row.withdrawn_at?.toISOString() ?? null,
});

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
    summary: 'Prices that operators have set, withdrawn ones included.',
    permission: 'operator',
    query: Page,
    answer: listOfItems(Price),
    run: async ({ store, query }) => {
      const limit = pageSize(query.limit);
      const rows = await store.within(OPERATOR, (db) => listPriceChanges(db, query.after ?? '', limit));
      return pageOf(rows, limit, ({ id }) => id, show);
    },
  }),
  route({
    method: 'POST',
    path: '/prices',
    name: 'setPrice',
    summary:
      'Sets prices of a model at a host, from a day and until a day where they are given. The file still comes first.',
    permission: 'operator',
    body: NewPrice,
    status: 201,
    answer: Price,
    run: async ({ store, prices, actor, body }) => {
      const { model, ...rest } = body;
      const change: PriceChange = { modelId: model, ...rest };
      const problem = await prices.problemWith(change);
      if (problem !== undefined) throw new AdminProblem('invalid', problem);
      return store.within(OPERATOR, async (db) => {
        const made = await insertPriceChange(db, newId('price'), change, actorName(actor));
        const audited = { actor: actorName(actor), action: 'price.set', subject: made.id, detail: body };
        await appendAudit(db, { accountId: null, ...audited });
        return show(made);
      });
    },
  }),
  route({
    method: 'DELETE',
    path: '/prices/{id}',
    name: 'withdrawPrice',
    summary: 'Takes back prices that were set. What was charged at them stays so.',
    permission: 'operator',
    answer: Price,
    run: ({ store, actor, id }) =>
      store.within(OPERATOR, async (db) => {
        const withdrawn = await withdrawPriceChange(db, id);
        if (withdrawn === undefined) throw notFound('Price', id);
        const audited = { actor: actorName(actor), action: 'price.withdraw', subject: id, detail: {} };
        await appendAudit(db, { accountId: null, ...audited });
        return show(withdrawn);
      }),
  }),
  route({
    method: 'GET',
    path: '/price-versions/{id}',
    name: 'getPriceVersion',
    summary: 'The rows that a version of prices on a bill stood for.',
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
    summary: 'What the account pays in relation to the catalogue, and paid before; the latest first.',
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
    summary: 'Sets a markup or a discount, from a day or at once. The file still comes first.',
    permission: 'operator',
    body: NewTerms,
    status: 201,
    answer: Terms,
    run: ({ store, actor, accountId, body }) =>
      store.within(OPERATOR, async (db) => {
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        const made = await insertTerms(db, accountId, body, actorName(actor));
        const audited = { actor: actorName(actor), action: 'terms.set', subject: accountId, detail: body };
        await appendAudit(db, { accountId, ...audited });
        return showTerms(made);
      }),
  }),
];
