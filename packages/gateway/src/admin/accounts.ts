/** Accounts at the admin API. */
import {
  findAccount,
  insertAccount,
  listAccounts,
  type AccountRow as Row,
  updateAccount,
} from '../store/postgres/accounts.ts';
import { appendAudit } from '../store/postgres/audit.ts';
import { OPERATOR } from '../store/postgres/store.ts';
import { actorName } from './actor.ts';
import { Account, AccountChange, listOfItems, NewAccount, Page } from './contract.ts';
import { newId } from './ids.ts';
import { AdminProblem, notFound } from './problem.ts';
import { pageOf, pageSize, route } from './route.ts';

const show = ({ id, name, kind, status, created_at }: Row): Account => ({
  id,
  name,
  kind,
  status,
  createdAt: created_at.toISOString(),
});

export const accountRoutes = [
  route({
    method: 'GET',
    path: '/accounts',
    name: 'listAccounts',
    summary: 'All accounts, by id.',
    permission: 'operator',
    query: Page,
    answer: listOfItems(Account),
    run: async ({ store, query }) => {
      const limit = pageSize(query.limit);
      const rows = await store.within(OPERATOR, (db) => listAccounts(db, query.after ?? '', limit));
      return pageOf(rows, limit, ({ id }) => id, show);
    },
  }),
  route({
    method: 'POST',
    path: '/accounts',
    name: 'createAccount',
    summary: 'A new account.',
    permission: 'operator',
    body: NewAccount,
    status: 201,
    answer: Account,
    run: ({ store, actor, body }) =>
      store.within(OPERATOR, async (db) => {
        const { id = newId('acc'), name, kind } = body;
        const account = await insertAccount(db, { id, name, kind });
        if (account === undefined) throw new AdminProblem('conflict', 'There is an account of this id.', 'id');
        const detail = { name, kind };
        await appendAudit(db, {
          accountId: id,
          actor: actorName(actor),
          action: 'account.create',
          subject: id,
          detail,
        });
        return show(account);
      }),
  }),
  route({
    method: 'GET',
    path: '/accounts/{account}',
    name: 'getAccount',
    summary: 'One account.',
    permission: 'viewer',
    answer: Account,
    run: ({ store, accountId }) =>
      store.within(accountId, async (db) => {
        const account = await findAccount(db, accountId);
        if (account === undefined) throw notFound();
        return show(account);
      }),
  }),
  route({
    method: 'PATCH',
    path: '/accounts/{account}',
    name: 'changeAccount',
    summary: 'Renames an account, changes its kind, suspends or restores it.',
    permission: 'operator',
    body: AccountChange,
    answer: Account,
    run: async ({ store, tell, actor, accountId, body }) => {
      const account = await store.within(accountId, async (db) => {
        const changed = await updateAccount(db, accountId, body);
        if (changed === undefined) throw notFound();
        const subject = accountId;
        await appendAudit(db, { accountId, actor: actorName(actor), action: 'account.change', subject, detail: body });
        return changed;
      });
      tell(`account:${accountId}`);
      return show(account);
    },
  }),
];
