/** Groups of accounts at the admin API: the account tree, in which a group budget limits all accounts below. */

import { actorName } from '../api/actor.ts';
import { appendAudit, withBefore } from '../api/change.ts';
import type { CreditPort, MoneyPorts } from '../api/credit-port.ts';
import { AdminProblem } from '../api/problem.ts';
import { routeWith } from '../api/route.ts';
import { requireAccount } from './require-account.ts';
import { Family, ParentChange } from './tags-contract.ts';

const route = routeWith<MoneyPorts>();

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
    summary: 'Returns the accounts above an account and directly below it.',
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
      'Moves an account below another, or with null to the top. `group` budgets of the accounts above apply to it.',
    permission: 'operator',
    body: ParentChange,
    answer: Family,
    run: async ({ store, money, actor, accountId, body }) => {
      await requireAccount(store, accountId);
      if (body.parentId !== null) await requireAccount(store, body.parentId);
      const parents = await money.parentsOf([accountId]);
      const problem = await money.setParent(accountId, body.parentId, (db) =>
        appendAudit(db, {
          accountId,
          actor: actorName(actor),
          action: 'account.parent',
          subject: accountId,
          detail: withBefore(body, { parentId: parents.get(accountId) }),
        }),
      );
      if (problem !== undefined) throw new AdminProblem('conflict', PROBLEMS[problem], 'parentId');
      return show(money, accountId);
    },
  }),
];
