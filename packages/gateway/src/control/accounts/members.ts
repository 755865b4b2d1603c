/** Members at the admin API. */

import { OPERATOR } from '../../store/postgres/store.ts';
import { actorName, requireRank } from '../api/actor.ts';
import { listOfItems, Member, MemberChange, NewMember, Revoked } from '../api/contract.ts';
import { MemberSearch, sortedPage } from '../api/contract-lists.ts';
import { newId } from '../api/ids.ts';
import { notFound } from '../api/problem.ts';
import { pageOf, route } from '../api/route.ts';
import { appendAudit } from '../audit/rows.ts';
import { keysOfMember, revokeKeys } from '../keys/rows.ts';
import { SignInCode } from '../sessions/contract.ts';
import { insertCode } from '../sessions/rows.ts';
import { newSignInCode } from '../sessions/sign-in-code.ts';
import {
  findMember,
  insertMember,
  listMembers,
  type MemberRow as Row,
  removeMember,
  updateMember,
} from './member-rows.ts';
import { findAccount } from './rows.ts';

const show = ({ id, name, email, role, created_at }: Row): Member => ({
  id,
  name,
  email,
  role,
  createdAt: created_at.toISOString(),
});

const LIST = '/accounts/{account}/members';
const ONE = `${LIST}/{id}`;

export const memberRoutes = [
  route({
    method: 'GET',
    path: LIST,
    name: 'listMembers',
    summary: 'The members of an account, as filtered and sorted.',
    permission: 'viewer',
    query: MemberSearch,
    answer: listOfItems(Member),
    run: ({ store, accountId, query }) =>
      store.within(accountId, async (db) => {
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        const page = sortedPage(query);
        return pageOf(await listMembers(db, accountId, query, page), page.limit, ({ id }) => id, show);
      }),
  }),
  route({
    method: 'POST',
    path: LIST,
    name: 'addMember',
    summary: 'A new member. Its role cannot be above the role of its creator.',
    permission: 'admin',
    body: NewMember,
    status: 201,
    answer: Member,
    run: ({ store, actor, accountId, body }) =>
      store.within(accountId, async (db) => {
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        requireRank(actor, body.role);
        const { name, email = null, role } = body;
        const member = await insertMember(db, { account_id: accountId, id: newId('mem'), name, email, role });
        const detail = { name, role };
        await appendAudit(db, { accountId, actor: actorName(actor), action: 'member.add', subject: member.id, detail });
        return show(member);
      }),
  }),
  route({
    method: 'PATCH',
    path: ONE,
    name: 'changeMember',
    summary: "Renames a member or changes the role. The member's keys follow at once.",
    permission: 'admin',
    body: MemberChange,
    answer: Member,
    run: async ({ store, tell, actor, accountId, id, body }) => {
      const member = await store.within(accountId, async (db) => {
        const before = await findMember(db, accountId, id);
        if (before === undefined) throw notFound('Member', id);
        requireRank(actor, before.role);
        requireRank(actor, body.role);
        const changed = await updateMember(db, accountId, id, body);
        if (changed === undefined) throw notFound('Member', id);
        const detail = { ...body, roleBefore: before.role };
        await appendAudit(db, { accountId, actor: actorName(actor), action: 'member.change', subject: id, detail });
        return changed;
      });
      tell(`account:${accountId}`);
      return show(member);
    },
  }),
  route({
    method: 'DELETE',
    path: ONE,
    name: 'removeMember',
    summary: "Removes a member and revokes the member's keys.",
    permission: 'admin',
    answer: Revoked,
    run: async ({ store, tell, actor, accountId, id }) => {
      const revoked = await store.within(accountId, async (db) => {
        const member = await findMember(db, accountId, id);
        if (member === undefined) throw notFound('Member', id);
        requireRank(actor, member.role);
        await removeMember(db, accountId, id);
        const keys = await revokeKeys(db, accountId, await keysOfMember(db, accountId, id), false);
        const detail = { revoked: keys };
        await appendAudit(db, { accountId, actor: actorName(actor), action: 'member.remove', subject: id, detail });
        return keys;
      });
      tell(`account:${accountId}`);
      return { revoked };
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/sign-in-code`,
    name: 'makeSignInCode',
    summary: 'A link that signs a member in once, within ten minutes.',
    permission: 'admin',
    status: 201,
    answer: SignInCode,
    run: ({ store, actor, accountId, id, consoleOrigin }) =>
      store.within(OPERATOR, async (db) => {
        const member = await findMember(db, accountId, id);
        if (member === undefined) throw notFound('Member', id);
        requireRank(actor, member.role);
        const code = newSignInCode();
        const expiresAt = await insertCode(db, code.hash, { accountId, memberId: id });
        const noted = { accountId, actor: actorName(actor), action: 'member.sign-in-code', subject: id, detail: {} };
        await appendAudit(db, noted);
        return code.show(consoleOrigin, expiresAt);
      }),
  }),
];
