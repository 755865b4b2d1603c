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
  deactivateMember,
  findMember,
  findMembers,
  insertMember,
  listMembers,
  membersOfPerson,
  type MemberRow as Row,
  reactivateMember,
  removeMember,
  updateMember,
} from '../accounts/member-rows.ts';
import { findAccount } from '../accounts/rows.ts';
import { type Actor, actorName, requireRank } from '../api/actor.ts';
import { appendAudit, change } from '../api/change.ts';
import { listOfItems } from '../api/contract.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { type DatabasePorts, pageOf, routeWith, sortedPage } from '../api/route.ts';
import { shown, storedAs } from '../api/shown.ts';
import { Revoked } from '../keys/contract.ts';
import { SignInCode } from '../sessions/contract.ts';
import { endForeignSessions, isInactive, setActive } from '../sessions/identity-rows.ts';
import { insertCode } from '../sessions/rows.ts';
import { newSignInCode } from '../sessions/sign-in-code.ts';
import { EndedMember, GonePerson } from './contract.ts';
import { endAllOf } from './ends.ts';

const route = routeWith<DatabasePorts>();

const show = (row: Row): Member => shown(Member, row);

type Asked = { readonly actor: Actor; readonly accountId: string; readonly id: string };

async function requireMember(db: Db, { actor, accountId, id }: Asked): Promise<Row> {
  const member = await findMember(db, accountId, id);
  if (member === undefined) throw notFound('Member', id);
  requireRank(actor, member.role);
  return member;
}

/** The member stays as a row, out for good: what was made as it is revoked, and no sign-in brings it back. */
const endMember = (asked: Asked & Pick<DatabasePorts, 'store' | 'tell'>): Promise<EndedMember> =>
  change(asked, 'member.gone', async (db) => {
    const { accountId, id } = asked;
    const { name } = await requireMember(db, asked);
    await deactivateMember(db, accountId, id, null);
    const ended = await endAllOf(db, accountId, id);
    return { answer: { accountId, memberId: id, name, ...ended }, detail: ended, isCached: true };
  });

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
        const before = await requireMember(db, asked);
        requireRank(actor, body.role);
        const changed = await updateMember(db, accountId, id, body);
        if (changed === undefined) throw notFound('Member', id);
        return { answer: show(changed), detail: body, before, isCached: true };
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
        const { keys, grants } = await endAllOf(db, accountId, id);
        const revoked = keys.map((key) => key.id);
        return { answer: { revoked }, detail: { revoked, grants }, isCached: true };
      }),
  }),
  route({
    method: 'POST',
    path: `${ONE}/gone`,
    name: 'endMember',
    summary:
      'Ends everything of a person who has left: keys, sessions and sign-in links, on all nodes within 1 s. The member stays, deactivated. Repeatable.',
    permission: 'admin',
    answer: EndedMember,
    run: endMember,
  }),
  route({
    method: 'POST',
    path: `${ONE}/reactivate`,
    name: 'reactivateMember',
    summary: 'Lets a deactivated member sign in again. Keys and sessions that ended stay ended.',
    permission: 'admin',
    answer: Member,
    run: (asked) =>
      change(asked, 'member.reactivate', async (db) => {
        const { actor, accountId, id } = asked;
        await requireMember(db, asked);
        if (actor.kind !== 'operator' && (await isInactive(db, accountId, id)))
          throw new AdminProblem('conflict', 'The directory has deactivated this person: activate the person there.');
        await setActive(db, accountId, id, true);
        const member = await reactivateMember(db, accountId, id);
        if (member === undefined) throw notFound('Member', id);
        return { answer: show(member), isCached: true };
      }),
  }),
  route({
    method: 'POST',
    path: '/people/gone',
    name: 'endPerson',
    summary: 'Ends everything of a person who has left, in every account in which the person is a member. Repeatable.',
    permission: 'operator',
    body: GonePerson,
    answer: listOfItems(EndedMember),
    run: async (asked) => {
      const { store, body } = asked;
      const members = await store.within(OPERATOR, (db) => membersOfPerson(db, body.person));
      if (members.length === 0) throw notFound('Person', body.person);
      const items: EndedMember[] = [];
      for (const { account_id: accountId, id } of members) {
        const ended = await endMember({ ...asked, accountId, id });
        // Sessions as an operator with the same sign-in end, too.
        const others = await store.within(OPERATOR, async (db) => {
          await setActive(db, accountId, id, false);
          return endForeignSessions(db, accountId, id);
        });
        items.push({ ...ended, sessions: ended.sessions + others });
      }
      return { items, next: null };
    },
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
        const { deactivated_at } = await requireMember(db, { actor, accountId, id });
        if (deactivated_at !== null) throw new AdminProblem('conflict', 'The member is deactivated.');
        const code = newSignInCode();
        const expiresAt = await insertCode(db, code.hash, { accountId, memberId: id });
        const noted = { accountId, actor: actorName(actor), action: 'member.sign-in-code', subject: id, detail: {} };
        await appendAudit(db, noted);
        return code.show(consoleOrigin, expiresAt);
      }),
  }),
];
