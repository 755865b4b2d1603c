/** Declared installations at the admin API. */

import type { Declaration, DeclaredAccount as Entry } from '../api/declared.ts';
import { AdminProblem } from '../api/problem.ts';
import { routeWith } from '../api/route.ts';
import { applyDeclared, exportDeclared } from './apply.ts';
import { Applied, ApplyAccountBody, ApplyBody, Declared } from './contract.ts';
import type { DeclaredPorts } from './kinds.ts';

const route = routeWith<DeclaredPorts>();

/** As large as all files of `trivium apply` may be. */
const MAX_BODY_BYTES = 16 * 1_048_576;

export const declaredRoutes = [
  route({
    method: 'POST',
    path: '/declared',
    name: 'applyDeclared',
    summary:
      'Makes the installation match a document, in one transaction: all of it, or nothing. Answers with the changes.',
    permission: 'operator',
    body: ApplyBody,
    answer: Applied,
    maxBodyBytes: MAX_BODY_BYTES,
    run: (asked) => applyDeclared(asked, asked.actor, asked.body.declared as unknown as Declaration, asked.body),
  }),
  route({
    method: 'GET',
    path: '/declared',
    name: 'exportDeclared',
    summary: 'Returns the installation as a document that can be applied. Contains no secret.',
    permission: 'operator',
    answer: Declared,
    run: (asked) => exportDeclared(asked, asked.actor),
  }),
  route({
    method: 'POST',
    path: '/accounts/{account}/declared',
    name: 'applyDeclaredAccount',
    summary: 'Makes members, keys, budgets, tags, webhooks and capture rules of one account match a document.',
    permission: 'admin',
    body: ApplyAccountBody,
    answer: Applied,
    maxBodyBytes: MAX_BODY_BYTES,
    run: (asked) => {
      const { actor, accountId, body } = asked;
      const account = body.declared as unknown as Entry;
      if (account.id !== accountId) throw new AdminProblem('invalid', 'must be the account of the path', 'declared.id');
      return applyDeclared(asked, actor, { accounts: [account] }, body);
    },
  }),
];
