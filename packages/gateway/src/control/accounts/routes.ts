/** Accounts at the admin API. */
import { formatNanoUsd } from '../../kernel/usd.ts';
import { type Db, OPERATOR } from '../../store/postgres/store.ts';
import { actorName } from '../api/actor.ts';
import { appendAudit, withBefore } from '../api/change.ts';
import { listOfItems } from '../api/contract.ts';
import type { MoneyPorts } from '../api/credit-port.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { type AdminRequest, pageOf, routeWith, sortedPage } from '../api/route.ts';
import { shown } from '../api/shown.ts';
import { parseUsd } from '../api/usd.ts';
import { Account, AccountChange, AccountSearch, NewAccount } from './contract.ts';
import { findAccount, insertAccount, listAccounts, type AccountRow as Row, updateAccount } from './rows.ts';

const route = routeWith<MoneyPorts>();

const show = (account: Row, parents?: ReadonlyMap<string, string>): Account =>
  shown(Account, account, { parentId: parents?.get(account.id) ?? null });

/** The credit limit of the terms to set; undefined: the ledger keeps its terms. Only postpaid accounts have a limit. */
const limitFor = (
  kind: Row['kind'],
  before: Row['kind'] | undefined,
  { kind: given, creditLimitUsd: usd }: { readonly kind?: Row['kind']; readonly creditLimitUsd?: string },
): bigint | undefined => {
  const field = 'creditLimitUsd';
  if (kind !== 'postpaid') {
    if (usd !== undefined) throw new AdminProblem('invalid', 'is for postpaid accounts only', field);
    return given === undefined ? undefined : 0n;
  }
  if (usd === undefined && before === 'postpaid') return undefined;
  const limit = usd === undefined ? 0n : parseUsd(usd, field);
  if (limit > 0n) return limit;
  throw new AdminProblem('invalid', 'must be more than zero for a postpaid account, such as "100.00"', field);
};

type TermsChange = {
  readonly kind: Row['kind'];
  readonly before: Row['kind'] | undefined;
  /** Undefined: no change of the ledger. */
  readonly limit: bigint | undefined;
};

/**
 * Changes the account in the directory and its terms in the ledger in one transaction: an account of which the two
 * differ would be shown as one kind and charged as another.
 */
const withTerms = async (
  { store, money, actor }: Pick<AdminRequest<MoneyPorts, unknown, unknown>, 'store' | 'money' | 'actor'>,
  accountId: string,
  { kind, before, limit }: TermsChange,
  change: (db: Db) => Promise<Row>,
): Promise<Row> => {
  if (limit === undefined) return store.within(accountId, change);
  let row: Row | undefined;
  const isSet = await money.setTerms(accountId, kind, limit, async (db) => {
    row = await change(db);
    if (kind === (before ?? kind) && limit === 0n) return;
    const detail = { kind, creditLimitUsd: formatNanoUsd(limit) };
    await appendAudit(db, { accountId, actor: actorName(actor), action: 'account.terms', subject: accountId, detail });
  });
  if (isSet && row !== undefined) return row;
  const field = kind === 'postpaid' ? 'creditLimitUsd' : 'kind';
  throw new AdminProblem(
    'conflict',
    `The account has spent or holds more than it could as ${kind}; pay in first.`,
    field,
  );
};

export const accountRoutes = [
  route({
    method: 'GET',
    path: '/accounts',
    name: 'listAccounts',
    summary: 'Lists accounts.',
    permission: 'operator',
    query: AccountSearch,
    answer: listOfItems(Account),
    run: async ({ store, money, query }) => {
      const page = sortedPage(query);
      const rows = await store.within(OPERATOR, (db) => listAccounts(db, query, page));
      const parents = await money.parentsOf(rows.map(({ id }) => id));
      return pageOf(rows, page.limit, (row) => show(row, parents));
    },
  }),
  route({
    method: 'POST',
    path: '/accounts',
    name: 'createAccount',
    summary: 'Creates an account.',
    permission: 'operator',
    body: NewAccount,
    status: 201,
    answer: Account,
    run: async (request) => {
      const { actor, body } = request;
      const { id = newId('acc'), creditLimitUsd, rateLimits, ...rest } = body;
      const account = { ...rest, ...(rateLimits != null && { rateLimits }) };
      const { kind } = account;
      const terms = { kind, before: undefined, limit: limitFor(kind, undefined, body) };
      const created = await withTerms(request, id, terms, async (db) => {
        const made = await insertAccount(db, { ...account, id });
        if (made === undefined) throw new AdminProblem('conflict', 'There is an account of this id.', 'id');
        await appendAudit(db, {
          accountId: id,
          actor: actorName(actor),
          action: 'account.create',
          subject: id,
          detail: account,
        });
        return made;
      });
      return show(created);
    },
  }),
  route({
    method: 'GET',
    path: '/accounts/{account}',
    name: 'getAccount',
    summary: 'Returns an account.',
    permission: 'viewer',
    answer: Account,
    run: async ({ store, money, accountId }) => {
      const account = await store.within(accountId, (db) => findAccount(db, accountId));
      if (account === undefined) throw notFound('Account', accountId);
      return show(account, await money.parentsOf([accountId]));
    },
  }),
  route({
    method: 'PATCH',
    path: '/accounts/{account}',
    name: 'changeAccount',
    summary: 'Changes the name, kind, credit limit, rate limits or status of an account.',
    permission: 'operator',
    body: AccountChange,
    answer: Account,
    run: async (request) => {
      const { store, money, tell, actor, accountId } = request;
      const { creditLimitUsd, ...body } = request.body;
      const before = await store.within(accountId, (db) => findAccount(db, accountId));
      if (before === undefined) throw notFound('Account', accountId);
      const kind = body.kind ?? before.kind;
      const terms = { kind, before: before.kind, limit: limitFor(kind, before.kind, request.body) };
      const account = await withTerms(request, accountId, terms, async (db) => {
        const changed = await updateAccount(db, accountId, body);
        if (changed === undefined) throw notFound('Account', accountId);
        const subject = accountId;
        if (Object.keys(body).length > 0)
          await appendAudit(db, {
            accountId,
            actor: actorName(actor),
            action: 'account.change',
            subject,
            detail: withBefore(body, show(before)),
          });
        return changed;
      });
      tell(`account:${accountId}`);
      return show(account, await money.parentsOf([accountId]));
    },
  }),
];
