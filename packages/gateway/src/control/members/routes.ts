/** Members at the admin API. */

import { type Db, OPERATOR } from '../../store/postgres/store.ts';
import {
  FoundMember,
  Member,
  MemberChange,
  MemberQuery,
  MemberSearch,
  NewMember,
} from '../accounts/member-contract.ts';
import {
  findMember,
  findMembers,
  insertMember,
  listMembers,
  type MemberRow as Row,
  removeMember,
  updateMember,
} from '../accounts/member-rows.ts';
import { findAccount } from '../accounts/rows.ts';
import { type Actor, actorName, requireRank } from '../api/actor.ts';
import { appendAudit, change } from '../api/change.ts';
import { listOfItems } from '../api/contract.ts';
import { newId } from '../api/ids.ts';
import { notFound } from '../api/problem.ts';
import { type DatabasePorts, pageOf, routeWith, sortedPage } from '../api/route.ts';
import { shown, storedAs } from '../api/shown.ts';
import { endGrantsOf } from '../grants/grant-rows.ts';
import { Revoked } from '../keys/contract.ts';
import { keysOfMember, revokeKeys } from '../keys/rows.ts';
import { SignInCode } from '../sessions/contract.ts';
import { insertCode } from '../sessions/rows.ts';
import { newSignInCode } from '../sessions/sign-in-code.ts';

const route = routeWith<DatabasePorts>();

const show = (row: Row): Member => shown(Member, row);

type Asked = { readonly actor: Actor; readonly accountId: string; readonly id: string };

async function requireMember(db: Db, { actor, accountId, id }: Asked): Promise<Row> {
  const member = await findMember(db, accountId, id);
  if (member === undefined) throw notFound('Member', id);
  requireRank(actor, member.role);
  return member;
}

const LIST = '/accounts/{account}/members';
const ONE = `${LIST}/{id}`;

export const memberRoutes = [
  route({
    method: 'GET',
    path: '/members',
    name: 'findMembers',
    summary: 'Searches the members of all accounts, by name.',
    permission: 'operator',
    query: MemberQuery,
    answer: listOfItems(FoundMember),
    run: ({ store, query }) =>
      store.within(OPERATOR, async (db) => {
        const page = sortedPage({ ...query, sort: 'name' });
        const rows = await findMembers(db, query, page);
        return pageOf(rows, page.limit, (row) => shown(FoundMember, row));
      }),
  }),
  route({
    method: 'GET',
    path: LIST,
    name: 'listMembers',
    summary: 'Lists the members of an account.',
    permission: 'viewer',
    query: MemberSearch,
    answer: listOfItems(Member),
    run: ({ store, accountId, query }) =>
      store.within(accountId, async (db) => {
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        const page = sortedPage(query);
        return pageOf(await listMembers(db, accountId, query, page), page.limit, show);
      }),
  }),
  route({
    method: 'POST',
    path: LIST,
    name: 'addMember',
    summary: 'Adds a member, with at most the role of its creator.',
    permission: 'admin',
    body: NewMember,
    status: 201,
    answer: Member,
    run: (asked) =>
      change(asked, 'member.add', async (db) => {
        const { actor, accountId, body } = asked;
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        requireRank(actor, body.role);
        const { name, role } = body;
        const member = await insertMember(db, storedAs({ ...body, accountId, id: newId('mem') }));
        return { answer: show(member), subject: member.id, detail: { name, role } };
      }),
  }),
  route({
    method: 'PATCH',
    path: ONE,
    name: 'changeMember',
    summary: "Changes the name or role of a member. The member's keys follow at once.",
    permission: 'admin',
    body: MemberChange,
    answer: Member,
    run: (asked) =>
      change(asked, 'member.change', async (db) => {
        const { actor, accountId, id, body } = asked;
        const { role: roleBefore } = await requireMember(db, asked);
        requireRank(actor, body.role);
        const changed = await updateMember(db, accountId, id, body);
        if (changed === undefined) throw notFound('Member', id);
        return { answer: show(changed), detail: { ...body, roleBefore }, isCached: true };
      }),
  }),
  route({
    method: 'DELETE',
    path: ONE,
    name: 'removeMember',
    summary: "Removes a member, revokes the member's keys and signs the member's programs out.",
    permission: 'admin',
    answer: Revoked,
    run: (asked) =>
      change(asked, 'member.remove', async (db) => {
        const { accountId, id } = asked;
        await requireMember(db, asked);
        await removeMember(db, accountId, id);
        const revoked = await revokeKeys(db, accountId, await keysOfMember(db, accountId, id), false);
        const grants = await endGrantsOf(db, accountId, id);
        return { answer: { revoked }, detail: { revoked, grants }, isCached: true };
      }),
  }),
  route({
    method: 'POST',
    path: `${ONE}/sign-in-code`,
    name: 'makeSignInCode',
    summary: 'Creates a link that signs a member in once, within ten minutes.',
    permission: 'admin',
    status: 201,
    answer: SignInCode,
    run: ({ store, actor, accountId, id, consoleOrigin }) =>
      store.within(OPERATOR, async (db) => {
        await requireMember(db, { actor, accountId, id });
        const code = newSignInCode();
        const expiresAt = await insertCode(db, code.hash, { accountId, memberId: id });
        const noted = { accountId, actor: actorName(actor), action: 'member.sign-in-code', subject: id, detail: {} };
        await appendAudit(db, noted);
        return code.show(consoleOrigin, expiresAt);
      }),
  }),
];
