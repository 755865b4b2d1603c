/** Accounts at the admin API. */
import { formatNanoUsd } from '../prices/rounding.ts';
import {
  findAccount,
  insertAccount,
  listAccounts,
  type AccountRow as Row,
  updateAccount,
} from '../store/postgres/accounts.ts';
import { appendAudit } from '../store/postgres/audit.ts';
import { type Db, OPERATOR } from '../store/postgres/store.ts';
import { actorName } from './actor.ts';
import { Account, AccountChange, listOfItems, NewAccount } from './contract.ts';
import { AccountSearch, sortedPage } from './contract-lists.ts';
import type { CreditPort } from './credit-port.ts';
import { newId } from './ids.ts';
import { parseUsd } from './money.ts';
import { AdminProblem, notFound } from './problem.ts';
import { type AdminRequest, pageOf, route } from './route.ts';

const show = ({ id, name, kind, status, rate_limits, created_at }: Row, parentId: string | null): Account => ({
  id,
  name,
  kind,
  status,
  parentId,
  rateLimits: rate_limits,
  createdAt: created_at.toISOString(),
});

const showPlaced = async (money: CreditPort, account: Row): Promise<Account> => {
  const parents = await money.parentsOf([account.id]);
  return show(account, parents.get(account.id) ?? null);
};

/** Undefined: the ledger keeps its current terms. Only postpaid accounts have a credit limit. */
const limitFor = (kind: Row['kind'], before: Row['kind'] | undefined, usd: string | undefined): bigint | undefined => {
  const field = 'creditLimitUsd';
  if (kind !== 'postpaid') {
    if (usd !== undefined) throw new AdminProblem('invalid', 'is for postpaid accounts only', field);
    return before === 'postpaid' ? 0n : undefined;
  }
  if (usd === undefined && before === 'postpaid') return undefined;
  const limit = usd === undefined ? 0n : parseUsd(usd, field);
  if (limit > 0n) return limit;
  throw new AdminProblem('invalid', 'must be more than zero for a postpaid account, such as "100.00"', field);
};

/** Sets the terms in the ledger, before the directory if the ledger may refuse them. */
const setTerms = async (
  { money, actor, accountId }: Pick<AdminRequest<unknown, unknown>, 'money' | 'actor' | 'accountId'>,
  kind: Row['kind'],
  limit: bigint,
): Promise<void> => {
  const detail = { kind, creditLimitUsd: formatNanoUsd(limit) };
  const note = (db: Db): Promise<void> =>
    appendAudit(db, { accountId, actor: actorName(actor), action: 'account.terms', subject: accountId, detail });
  if (!(await money.setTerms(accountId, kind, limit, note)))
    throw new AdminProblem('conflict', 'The account owes more than that, or has more held.', 'creditLimitUsd');
};

export const accountRoutes = [
  route({
    method: 'GET',
    path: '/accounts',
    name: 'listAccounts',
    summary: 'Accounts, as filtered and sorted.',
    permission: 'operator',
    query: AccountSearch,
    answer: listOfItems(Account),
    run: async ({ store, money, query }) => {
      const page = sortedPage(query);
      const rows = await store.within(OPERATOR, (db) => listAccounts(db, query, page));
      const parents = await money.parentsOf(rows.map(({ id }) => id));
      const shown = (row: Row): Account => show(row, parents.get(row.id) ?? null);
      return pageOf(rows, page.limit, ({ id }) => id, shown);
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
    run: async ({ store, money, actor, body }) => {
      const { id = newId('acc'), name, kind, creditLimitUsd, rateLimits = null } = body;
      const limit = limitFor(kind, undefined, creditLimitUsd);
      const created = await store.within(OPERATOR, async (db) => {
        const account = await insertAccount(db, { id, name, kind, rateLimits });
        if (account === undefined) throw new AdminProblem('conflict', 'There is an account of this id.', 'id');
        const detail = { name, kind, ...(rateLimits !== null && { rateLimits }) };
        await appendAudit(db, {
          accountId: id,
          actor: actorName(actor),
          action: 'account.create',
          subject: id,
          detail,
        });
        return account;
      });
      if (limit !== undefined) await setTerms({ money, actor, accountId: id }, kind, limit);
      return show(created, null);
    },
  }),
  route({
    method: 'GET',
    path: '/accounts/{account}',
    name: 'getAccount',
    summary: 'One account.',
    permission: 'viewer',
    answer: Account,
    run: async ({ store, money, accountId }) => {
      const account = await store.within(accountId, (db) => findAccount(db, accountId));
      if (account === undefined) throw notFound('Account', accountId);
      return showPlaced(money, account);
    },
  }),
  route({
    method: 'PATCH',
    path: '/accounts/{account}',
    name: 'changeAccount',
    summary: 'Renames an account, changes its kind, credit limit or rate limits, suspends or restores it.',
    permission: 'operator',
    body: AccountChange,
    answer: Account,
    run: async ({ store, money, tell, actor, accountId, body: { creditLimitUsd, ...body } }) => {
      const before = await store.within(accountId, (db) => findAccount(db, accountId));
      if (before === undefined) throw notFound('Account', accountId);
      const kind = body.kind ?? before.kind;
      const limit = limitFor(kind, before.kind, creditLimitUsd);
      if (limit !== undefined) await setTerms({ money, actor, accountId }, kind, limit);
      const account = await store.within(accountId, async (db) => {
        const changed = await updateAccount(db, accountId, body);
        if (changed === undefined) throw notFound('Account', accountId);
        const subject = accountId;
        if (Object.keys(body).length > 0)
          await appendAudit(db, {
            accountId,
            actor: actorName(actor),
            action: 'account.change',
            subject,
            detail: body,
          });
        return changed;
      });
      tell(`account:${accountId}`);
      return showPlaced(money, account);
    },
  }),
];
