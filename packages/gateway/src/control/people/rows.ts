/** People by their address: as members, and as they last signed in from a program. */
import { sql } from 'kysely';
import type { Role } from '../../people/accounts/rights.ts';
import type { Db } from '../../store/postgres/store.ts';
import type { MemberGranted } from '../accounts/member-rows.ts';

export type KnownPerson = {
  readonly account: string;
  readonly member: string;
  readonly role: Role;
  /** URL of the issuer; null: not made by a sign-in. */
  readonly issuer: string | null;
  /** Null: has not signed in from a program. */
  readonly groups: readonly string[] | null;
  /** By the groups of the last sign-in. */
  readonly granted: MemberGranted | null;
};

/** Of the accounts that the transaction sees; who signed in last comes first. */
export async function knownPerson(db: Db, email: string): Promise<KnownPerson | undefined> {
  const { rows } = await sql<KnownPerson>`
    select m.account_id as account, m.id as member, m.role, m.granted, i.issuer, g.groups
    from members m
    left join lateral (select issuer from member_identities i
      where i.account_id = m.account_id and i.member_id = m.id order by issuer limit 1) i on true
    left join lateral (select groups, proven_at from grants g
      where g.account_id = m.account_id and g.member_id = m.id order by proven_at desc limit 1) g on true
    where lower(m.email) = lower(${email}) and m.removed_at is null
    order by g.proven_at desc nulls last, m.account_id limit 1`.execute(db);
  return rows[0];
}
