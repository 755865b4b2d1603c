/** Credit and budgets at the admin API: balances, deposits and spending limits. */
import { formatNanoUsd } from '../../kernel/usd.ts';
import { scopeNames } from '../../store/postgres/overview-rows.ts';
import { OPERATOR, type Store } from '../../store/postgres/store.ts';
import { findMember } from '../accounts/member-rows.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { listTags } from '../accounts/tag-rows.ts';
import { type Actor, actorName } from '../api/actor.ts';
import { appendAudit, withBefore } from '../api/change.ts';
import { listOfItems } from '../api/contract.ts';
import type { AccountCredit, MoneyPorts, Note } from '../api/credit-port.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { routeWith } from '../api/route.ts';
import { parseUsd } from '../api/usd.ts';
import { findKeyById } from '../keys/rows.ts';
import { Budget, BudgetChange, BudgetName, Credit, Deposit } from './contract.ts';

const route = routeWith<MoneyPorts>();

const show = (credit: AccountCredit): Credit => {
  const { kind, creditNano, spentNano, heldNano, leasedNano, limitNano, overrunNano } = credit;
  const free = creditNano + limitNano - spentNano - heldNano - leasedNano;
  return {
    kind,
    creditUsd: formatNanoUsd(creditNano),
    spentUsd: formatNanoUsd(spentNano),
    heldUsd: formatNanoUsd(heldNano),
    leasedUsd: formatNanoUsd(leasedNano),
    creditLimitUsd: formatNanoUsd(limitNano),
    overrunUsd: formatNanoUsd(overrunNano),
    availableUsd: kind === 'unlimited' ? null : formatNanoUsd(free < 0n ? 0n : free),
  };
};

const MEMBER = 'member:';
const KEY = 'key:';
const TAG = /^tag:([^=]*)=/;

/** A misspelt scope would limit nothing. Keys may be configured ones, which the store does not know. */
export async function requireScope(store: Store, accountId: string, scope: string, member = 'scope'): Promise<void> {
  const tag = TAG.exec(scope)?.[1];
  if (tag !== undefined) {
    const tags = await store.within(accountId, (db) => listTags(db, accountId));
    if (tags.some(({ key }) => key === tag)) return;
    throw new AdminProblem('invalid', `The account has not declared the tag "${tag}".`, member);
  }
  if (scope.startsWith(KEY)) await requireNoForeignKey(store, accountId, scope.slice(KEY.length), member);
  if (!scope.startsWith(MEMBER)) return;
  const id = scope.slice(MEMBER.length);
  const found = await store.within(accountId, (db) => findMember(db, accountId, id));
  if (found === undefined) throw new AdminProblem('invalid', `Member "${id}" not found.`, member);
}

async function requireNoForeignKey(store: Store, accountId: string, id: string, member: string): Promise<void> {
  const found = await store.within(OPERATOR, (db) => findKeyById(db, id));
  if (found !== undefined && found.key.account_id !== accountId)
    throw new AdminProblem('invalid', `Key "${id}" not found.`, member);
}

export const noteOf =
  (accountId: string, actor: Actor, action: string, detail: Readonly<Record<string, unknown>>): Note =>
  (db) =>
    appendAudit(db, { accountId, actor: actorName(actor), action, subject: accountId, detail });

export const setterOf = (actor: Actor): 'operator' | 'member' => (actor.kind === 'operator' ? 'operator' : 'member');

export const operatorsBudget = (): AdminProblem =>
  new AdminProblem('forbidden', 'The operator has set this budget; only operators change or remove it.');

const BUDGETS = '/accounts/{account}/budgets';

export const creditRoutes = [
  route({
    method: 'GET',
    path: '/accounts/{account}/credits',
    name: 'getCredit',
    summary: 'Returns the credit of an account: paid in, spent, held and leased to nodes.',
    permission: 'viewer',
    answer: Credit,
    run: async ({ store, money, accountId }) => {
      await requireAccount(store, accountId);
      return show(await money.credit(accountId));
    },
  }),
  route({
    method: 'POST',
    path: '/accounts/{account}/credits',
    name: 'payIn',
    summary:
      'Credits, or with a negative amount debits, the free balance. Idempotent by `id`; another amount with the same id is a conflict.',
    permission: 'operator',
    body: Deposit,
    answer: Credit,
    run: async ({ store, money, actor, accountId, body }) => {
      await requireAccount(store, accountId);
      const { id = newId('dep'), usd, memo = '' } = body;
      const nano = parseUsd(usd, 'usd');
      const note = noteOf(accountId, actor, 'credit.pay-in', { id, usd, memo });
      const deposit = { accountId, id: `admin:${id}`, nano, memo };
      const outcome = await money.deposit(deposit, async (db, made) => {
        if (made === 'entered') await note(db);
      });
      if (outcome === 'refused')
        throw new AdminProblem('conflict', 'That much is not free: it is spent or set aside.', 'usd');
      if (outcome === 'other-amount')
        throw new AdminProblem('conflict', 'This id was used before, for another amount.', 'id');
      return show(await money.credit(accountId));
    },
  }),
  route({
    method: 'GET',
    path: BUDGETS,
    name: 'listBudgets',
    summary: 'Lists the budgets of an account, with what is spent of each.',
    permission: 'viewer',
    answer: listOfItems(Budget),
    run: async ({ store, money, accountId }) => {
      await requireAccount(store, accountId);
      const budgets = await money.budgets(accountId);
      const names = await store.within(accountId, (db) =>
        scopeNames(
          db,
          accountId,
          budgets.map(({ scope }) => scope),
        ),
      );
      const items = budgets.map(({ scope, span, mostNano, setBy, spentNano, heldNano }) => ({
        scope,
        name: names.get(scope) ?? null,
        span,
        setBy,
        usd: formatNanoUsd(mostNano),
        spentUsd: formatNanoUsd(spentNano),
        heldUsd: formatNanoUsd(heldNano),
      }));
      return { items, next: null };
    },
  }),
  route({
    method: 'POST',
    path: BUDGETS,
    name: 'setBudget',
    summary: 'Sets a daily, monthly or total budget for an account, a key, a member or a tag.',
    permission: 'admin',
    body: BudgetChange,
    answer: BudgetChange,
    run: async ({ store, money, actor, accountId, body }) => {
      await requireAccount(store, accountId);
      await requireScope(store, accountId, body.scope);
      const { scope, span } = body;
      const had = (await money.budgets(accountId)).find((one) => one.scope === scope && one.span === span);
      const before = had && { scope, span, usd: formatNanoUsd(had.mostNano) };
      const note = noteOf(accountId, actor, 'budget.set', withBefore(body, before));
      const nano = parseUsd(body.usd, 'usd');
      if (nano < 0n) throw new AdminProblem('invalid', 'must not be negative', 'usd');
      const outcome = await money.setBudget(accountId, scope, span, nano, note, setterOf(actor));
      if (outcome === 'operators') throw operatorsBudget();
      return body;
    },
  }),
  route({
    method: 'DELETE',
    path: BUDGETS,
    name: 'removeBudget',
    summary: 'Deletes a budget. Other budgets and the balance still apply.',
    permission: 'admin',
    query: BudgetName,
    answer: BudgetName,
    run: async ({ store, money, actor, accountId, query }) => {
      await requireAccount(store, accountId);
      const note = noteOf(accountId, actor, 'budget.remove', query);
      const outcome = await money.removeBudget(accountId, query.scope, query.span, note, setterOf(actor));
      if (outcome === 'operators') throw operatorsBudget();
      if (outcome === 'none') throw notFound('Budget', `${query.scope} per ${query.span}`);
      return query;
    },
  }),
];
