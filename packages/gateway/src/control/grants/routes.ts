/** Signed-in apps at the admin API: each person sees and ends their own, admins those of the account, operators all. */
import { sql } from 'kysely';
import type { Static } from 'typebox';
import { type Db, OPERATOR } from '../../store/postgres/store.ts';
import { findMember } from '../accounts/member-rows.ts';
import { type Actor, actorName, requireRank } from '../api/actor.ts';
import { listOfItems } from '../api/contract.ts';
import { notFound } from '../api/problem.ts';
import { type DatabasePorts, pageOf, pageSize, routeWith } from '../api/route.ts';
import { type RowOf, shown } from '../api/shown.ts';
import { EndedGrant, GrantSearch, SignedInApp } from './contract.ts';
import { endGrant } from './grant-rows.ts';

const route = routeWith<DatabasePorts>();

const any = sql`true`;
const scopeOf = (actor: Actor): string => (actor.kind === 'manager' ? actor.accountId : OPERATOR);

/** A developer or viewer without a member has none. */
const visible = (actor: Actor) => {
  if (actor.kind === 'operator') return any;
  const own = sql`g.account_id = ${actor.accountId}`;
  return actor.role === 'viewer' || actor.role === 'developer'
    ? sql`${own} and g.member_id = ${actor.memberId ?? null}`
    : own;
};

async function findGrants(
  db: Db,
  actor: Actor,
  { account, member, client, state, after = '' }: Static<typeof GrantSearch>,
  limit: number,
  id?: string,
): Promise<readonly RowOf<typeof SignedInApp>[]> {
  const isOver = sql`(g.ended_at is not null or coalesce(g.ends_at <= now(), false))`;
  const { rows } = await sql<RowOf<typeof SignedInApp>>`
    select g.*, m.name as member_name from grants g join members m on m.account_id = g.account_id and m.id = g.member_id
    where ${visible(actor)} and g.id > ${after}
      and ${id === undefined ? any : sql`g.id = ${id}`}
      and ${account === undefined ? any : sql`g.account_id = ${account}`}
      and ${member === undefined ? any : sql`g.member_id = ${member}`}
      and ${client === undefined ? any : sql`g.client = ${client}`}
      and ${state === undefined ? any : state === 'ended' ? isOver : sql`not ${isOver}`}
    order by g.id limit ${limit}`.execute(db);
  return rows;
}

export const grantRoutes = [
  route({
    method: 'GET',
    path: '/grants',
    name: 'listGrants',
    summary: 'Lists signed-in apps: your own; for admins those of the account, for operators all.',
    permission: 'viewer',
    query: GrantSearch,
    answer: listOfItems(SignedInApp),
    run: ({ store, actor, query }) => {
      const limit = pageSize(query.limit);
      return store.within(scopeOf(actor), async (db) =>
        pageOf(await findGrants(db, actor, query, limit), limit, (row) => shown(SignedInApp, row)),
      );
    },
  }),
  route({
    method: 'DELETE',
    path: '/grants/{id}',
    name: 'endGrant',
    summary: 'Signs an app out, on all nodes within 1 s.',
    permission: 'viewer',
    answer: EndedGrant,
    run: async ({ store, tell, actor, id }) => {
      const ended = await store.within(scopeOf(actor), async (db) => {
        const [grant] = await findGrants(db, actor, {}, 1, id);
        if (grant === undefined) throw notFound('Grant', id);
        const { account_id: accountId, member_id: memberId } = grant;
        requireRank(actor, (await findMember(db, accountId, memberId))?.role);
        return endGrant(db, { accountId, id }, actorName(actor), 'signed out at the admin API');
      });
      ended?.forEach(tell);
      return { ended: ended !== undefined };
    },
  }),
];
