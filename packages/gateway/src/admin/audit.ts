/** The audit log at the admin API. */
import { findAccount } from '../store/postgres/accounts.ts';
import { auditBreaks, listAudit, type AuditRow as Row } from '../store/postgres/audit.ts';
import { OPERATOR } from '../store/postgres/store.ts';
import { AuditEntry, AuditVerdict, listOfItems, Page } from './contract.ts';
import { AdminProblem, notFound } from './problem.ts';
import { pageOf, pageSize, route } from './route.ts';

const show = ({ id, at, account_id, actor, action, subject, detail }: Row): AuditEntry => ({
  id: String(id),
  at: at.toISOString(),
  accountId: account_id,
  actor,
  action,
  subject,
  detail: { ...detail },
});

const before = (after: string | undefined): bigint | null => {
  if (after === undefined) return null;
  if (!/^[0-9]{1,18}$/.test(after)) throw new AdminProblem('invalid', 'is no place in this list', 'after');
  return BigInt(after);
};

export const auditRoutes = [
  route({
    method: 'GET',
    path: '/audit',
    name: 'listAudit',
    summary: 'Every change, the newest first.',
    permission: 'operator',
    query: Page,
    answer: listOfItems(AuditEntry),
    run: async ({ store, query }) => {
      const limit = pageSize(query.limit);
      const rows = await store.within(OPERATOR, (db) => listAudit(db, null, before(query.after), limit));
      return pageOf(rows, limit, ({ id }) => String(id), show);
    },
  }),
  route({
    method: 'GET',
    path: '/audit/verify',
    name: 'verifyAudit',
    summary: 'Whether the chain of the audit log is whole.',
    permission: 'operator',
    answer: AuditVerdict,
    run: async ({ store }) => {
      const broken = await store.within(OPERATOR, auditBreaks);
      return { intact: broken.length === 0, broken: broken.map(String) };
    },
  }),
  route({
    method: 'GET',
    path: '/accounts/{account}/audit',
    name: 'listAccountAudit',
    summary: 'The changes to one account, the newest first.',
    permission: 'admin',
    query: Page,
    answer: listOfItems(AuditEntry),
    run: ({ store, accountId, query }) =>
      store.within(accountId, async (db) => {
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        const limit = pageSize(query.limit);
        return pageOf(await listAudit(db, accountId, before(query.after), limit), limit, ({ id }) => String(id), show);
      }),
  }),
];
