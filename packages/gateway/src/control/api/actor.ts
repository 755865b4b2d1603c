/**
 * The actor of an admin API request: the operator, or a key or member that manages its own account. And their
 * permissions.
 */

import { type KeyRecord, proofDueMessage } from '../../people/accounts/key-source.ts';
import { type MemberRights, type Rights, type Role, roleRank, withinCeiling } from '../../people/accounts/rights.ts';
import type { SignedInMember } from '../../people/accounts/sessions.ts';
import { AdminProblem, notFound } from './problem.ts';

export type Manager = {
  readonly kind: 'manager';
  /** `key:<id>`, or `member:<id>` for a signed-in member. */
  readonly name: string;
  readonly accountId: string;
  readonly memberId: string | undefined;
  /** The key it acts with; undefined for a signed-in member. */
  readonly keyId: string | undefined;
  readonly role: Role;
  /** The maximum rights of keys it creates. */
  readonly rights: Rights;
  /** What its groups allow a signed-in member: none of its own keys may do more, whatever rights it has. */
  readonly ceiling?: MemberRights | undefined;
  /** How many keys its member may have at once; undefined: no limit. */
  readonly maxKeys?: number | undefined;
};

export type Actor = { readonly kind: 'operator' } | Manager;

/** The lowest role that may, or only the operator. */
export type Permission = Role | 'operator';

export const actorName = (actor: Actor): string => (actor.kind === 'operator' ? 'operator' : actor.name);

/** Also for a key whose person has not signed in for too long. */
export function requireActive({ isSuspended, proof }: Pick<KeyRecord, 'isSuspended' | 'proof'>): void {
  if (isSuspended)
    throw new AdminProblem('forbidden', proof === 'due' ? proofDueMessage({}) : 'This account is suspended.');
}

export function managerByKey(record: KeyRecord): Manager {
  const { keyId, accountId, memberId, role, rights } = record;
  requireActive(record);
  if (role === undefined) throw new AdminProblem('forbidden', 'This key may not use the admin API.');
  return {
    kind: 'manager',
    name: `key:${keyId}`,
    accountId,
    memberId,
    keyId,
    role,
    rights: { ...rights, manages: role },
  };
}

export type MemberBounds = { readonly rights: Rights; readonly maxKeys: number | undefined };

/** `bounds`: of keys that members of this role create for themselves. */
export function managerByMember(
  { accountId, memberId, isSuspended, role, ceiling }: SignedInMember,
  { rights, maxKeys }: MemberBounds,
): Manager {
  requireActive({ isSuspended });
  return {
    kind: 'manager',
    name: `member:${memberId}`,
    accountId,
    memberId,
    keyId: undefined,
    role,
    rights: { ...withinCeiling(rights, ceiling), manages: role },
    ceiling,
    maxKeys,
  };
}

/** Checked before anything else: another account is answered as not found. */
export function requirePermission(actor: Actor, permission: Permission, accountId: string | undefined): void {
  if (actor.kind === 'operator') return;
  if (accountId !== undefined && accountId !== actor.accountId) throw notFound('Account', accountId);
  if (permission === 'operator' || roleRank(actor.role) < roleRank(permission))
    throw new AdminProblem('forbidden', 'This credential may not do that.');
}

/** Actors can neither grant nor revoke a role above their own. */
export function requireRank(actor: Actor, role: Role | undefined): void {
  if (actor.kind === 'manager' && roleRank(role) > roleRank(actor.role))
    throw new AdminProblem('forbidden', 'This credential may not give or change a role above its own.');
}
