/** Members of accounts as files declare them. */
import { sql } from 'kysely';
import type { Static } from 'typebox';
import { NewMember } from '../accounts/member-contract.ts';
import { type MemberRow, removeMember, updateMember } from '../accounts/member-rows.ts';
import { type Actor, requireRank } from '../api/actor.ts';
import { withBefore } from '../api/change.ts';
import {
  type Applying,
  type DeclaredPath,
  declaredKind,
  differenceOf,
  entriesOf,
  given,
  hasList,
} from '../api/declared.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem } from '../api/problem.ts';
import type { DatabasePorts } from '../api/route.ts';
import { endAllOf } from './ends.ts';

type MemberEntry = Static<typeof NewMember>;
type Role = MemberEntry['role'];

const ROWS_AT_ONCE = 1000;

/** By e-mail if there is one, in any case of letters; else by name. */
const identityOf = (name: string, email: string | null | undefined): string => email?.toLowerCase() ?? name;

function checkRank(at: Applying<DatabasePorts>, actor: Actor, roles: readonly Role[], path: DeclaredPath): void {
  try {
    for (const role of roles) requireRank(actor, role);
  } catch (error) {
    if (!(error instanceof AdminProblem)) throw error;
    at.report(path, error.message);
  }
}

export const memberKind = declaredKind<DatabasePorts>({
  kind: 'member',
  permission: 'admin',
  schema: { members: NewMember.properties },
  *wanted(document) {
    for (const { account, entry, path } of entriesOf<MemberEntry>(document, 'members')) {
      const { name, email, role, isServiceAccount } = entry;
      const aliases = email === undefined ? [] : [email, name];
      yield {
        account,
        name: email ?? name,
        identity: identityOf(name, email),
        aliases,
        value: given({ name, email, role, isServiceAccount }),
        path,
      };
    }
  },
  isListed: (document, had) => hasList(document, had, 'members'),
  read: async ({ db, accounts }) => {
    const { rows } = await sql<MemberRow>`
      select * from members where removed_at is null
        and ${accounts === undefined ? sql`true` : sql`account_id = any(${accounts})`}
      order by account_id, coalesce(email, name), name`.execute(db);
    return rows.map(({ id, account_id: account, name, email, role, is_service_account }) => ({
      account,
      id,
      name: email ?? name,
      identity: identityOf(name, email),
      aliases: email === null ? [] : [email, name],
      value: given({ name, email: email ?? undefined, role, isServiceAccount: is_service_account || undefined }),
    }));
  },
  difference: (at, wanted, had) => {
    const { email: _email, ...compared } = wanted.value;
    const difference = had === undefined ? { after: wanted.value } : differenceOf(compared, had.value);
    if (difference !== undefined) {
      const roles = [wanted.value['role'], had?.value['role']].filter((role) => role !== undefined) as Role[];
      checkRank(at, at.actor, roles, wanted.path);
    }
    return difference;
  },
  create: async (at, wanted) => {
    const rows = wanted.map((one) => {
      const { name, email = null, role, isServiceAccount = false } = one.value as MemberEntry;
      const id = newId('mem');
      at.made('member', one, id);
      at.note({ accountId: one.account, action: 'member.add', subject: id, detail: { name, role } });
      return { id, account_id: one.account, name, email, role, is_service_account: isServiceAccount };
    });
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
      await at.db
        .insertInto('members')
        .values(rows.slice(from, from + ROWS_AT_ONCE))
        .execute();
  },
  change: async (at, changes) => {
    for (const { wanted, had } of changes) {
      const { name, role, isServiceAccount } = wanted.value as MemberEntry;
      await updateMember(at.db, wanted.account, had.id, given({ name, role, isServiceAccount }));
      const detail = withBefore({ name, role }, had.value);
      at.note({ accountId: wanted.account, action: 'member.change', subject: had.id, detail }, true);
    }
  },
  remove: async (at, had) => {
    for (const { account, id, value } of had) {
      requireRank(at.actor, value['role'] as Role);
      await removeMember(at.db, account, id);
      const { keys, grants } = await endAllOf(at.db, account, id);
      const revoked = keys.map((key) => key.id);
      at.note({ accountId: account, action: 'member.remove', subject: id, detail: { revoked, grants } }, true);
    }
  },
  write: (had, into) => {
    for (const { account, name, value } of had) into.add('members', account, name, { ...value });
  },
});
