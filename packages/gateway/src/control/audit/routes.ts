/** The audit log at the admin API. */
import type { Static } from 'typebox';
import { OPERATOR } from '../../store/postgres/store.ts';
import { findAccount } from '../accounts/rows.ts';
import { listOfItems } from '../api/contract.ts';
import { AdminProblem, notFound, timeIn } from '../api/problem.ts';
import { type DatabasePorts, pageOf, pageSize, routeWith } from '../api/route.ts';
import { shown } from '../api/shown.ts';
import { AccountAuditSearch, AuditEntry, AuditSearch, AuditVerdict } from './contract.ts';
import { type AuditFilter, auditBreaks, findAudit, listAudit, type AuditRow as Row } from './rows.ts';

const route = routeWith<DatabasePorts>();

const show = (row: Row): AuditEntry => shown(AuditEntry, row, { id: String(row.id) });

const ID = /^[0-9]{1,18}$/;

const before = (after: string | undefined): bigint | null => {
  if (after === undefined) return null;
  if (!ID.test(after)) throw new AdminProblem('invalid', 'is not a cursor of this list', 'after');
  return BigInt(after);
};

const filterOf = ({ from, until, ...query }: Static<typeof AuditSearch>): AuditFilter => ({
  ...query,
  ...(from !== undefined && { from: timeIn(from, 'from') }),
  ...(until !== undefined && { until: timeIn(until, 'until') }),
});

/** `tenant`: an account, or the operator, who sees all entries. */
async function auditEntry(
  { store, id }: Pick<DatabasePorts, 'store'> & { id: string },
  tenant: string,
): Promise<AuditEntry> {
  const row = ID.test(id) ? await store.within(tenant, (db) => findAudit(db, BigInt(id))) : undefined;
  if (row === undefined) throw notFound('Audit entry', id);
  return show(row);
}

export const auditRoutes = [
  route({
    method: 'GET',
    path: '/audit',
    name: 'listAudit',
    summary: 'Lists audit entries, newest first.',
    permission: 'operator',
    query: AuditSearch,
    answer: listOfItems(AuditEntry),
    run: async ({ store, query }) => {
      const limit = pageSize(query.limit);
      const rows = await store.within(OPERATOR, (db) => listAudit(db, filterOf(query), before(query.after), limit));
      return pageOf(rows, limit, show);
    },
  }),
  route({
    method: 'GET',
    path: '/audit/verify',
    name: 'verifyAudit',
    summary: "Verifies the audit log's hash chain.",
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
    summary: 'Lists audit entries of an account, newest first.',
    permission: 'admin',
    query: AccountAuditSearch,
    answer: listOfItems(AuditEntry),
    run: ({ store, accountId, query }) =>
      store.within(accountId, async (db) => {
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        const limit = pageSize(query.limit);
        const filter = { ...filterOf(query), account: accountId };
        return pageOf(await listAudit(db, filter, before(query.after), limit), limit, show);
      }),
  }),
  route({
    method: 'GET',
    path: '/audit/{id}',
    name: 'getAuditEntry',
    summary: 'Returns an audit entry: what was set, and what was there before.',
    permission: 'operator',
    answer: AuditEntry,
    run: (asked) => auditEntry(asked, OPERATOR),
  }),
  route({
    method: 'GET',
    path: '/accounts/{account}/audit/{id}',
    name: 'getAccountAuditEntry',
    summary: 'Returns an audit entry of an account: what was set, and what was there before.',
    permission: 'admin',
    answer: AuditEntry,
    run: (asked) => auditEntry(asked, asked.accountId),
  }),
];
