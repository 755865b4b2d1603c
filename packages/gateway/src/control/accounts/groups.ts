/** Groups of accounts at the admin API: the account tree, in which a group budget limits all accounts below. */

import { actorName } from '../api/actor.ts';
import { Family, ParentChange } from '../api/contract-tags.ts';
import { AdminProblem } from '../api/problem.ts';
import { route } from '../api/route.ts';
import { appendAudit } from '../audit/rows.ts';
import type { CreditPort } from '../money/credit-port.ts';
import { requireAccount } from './require-account.ts';

const PARENT = '/accounts/{account}/parent';

const show = async (money: CreditPort, accountId: string): Promise<Family> => {
  const { above, children } = await money.family(accountId);
  return { parentId: above[0] ?? null, above: [...above], children: [...children] };
};

const PROBLEMS = {
  cycle: 'is the account itself or one below it',
  depth: 'would make a tree of more than four levels',
  unknown: 'is no account',
} as const;

export const groupRoutes = [
  route({
    method: 'GET',
    path: PARENT,
    name: 'getFamily',
    summary: 'The accounts above an account and directly below it.',
    permission: 'viewer',
    answer: Family,
    run: async ({ store, money, accountId }) => {
      await requireAccount(store, accountId);
      return show(money, accountId);
    },
  }),
  route({
    method: 'POST',
    path: PARENT,
    name: 'setParent',
    summary:
      'Puts an account below another, or with null below none. Budgets of the scope `group` of those above bound it from now on.',
    permission: 'operator',
    body: ParentChange,
    answer: Family,
    run: async ({ store, money, actor, accountId, body }) => {
      await requireAccount(store, accountId);
      if (body.parentId !== null) await requireAccount(store, body.parentId);
      const problem = await money.setParent(accountId, body.parentId, (db) =>
        appendAudit(db, {
          accountId,
          actor: actorName(actor),
          action: 'account.parent',
          subject: accountId,
          detail: body,
        }),
      );
      if (problem !== undefined) throw new AdminProblem('conflict', PROBLEMS[problem], 'parentId');
      return show(money, accountId);
    },
  }),
];
