/** Who asks at the admin API: the operator, or a key or member that manages its own account. And what each may do. */

import type { KeyRecord } from '../accounts/key-source.ts';
import { type Rights, type Role, roleRank } from '../accounts/rights.ts';
import type { SignedInMember } from '../accounts/sessions.ts';
import { AdminProblem, notFound } from './problem.ts';

export type Manager = {
  readonly kind: 'manager';
  /** `key:<id>`, or `member:<id>` for a member who is signed in. */
  readonly name: string;
  readonly accountId: string;
  readonly memberId: string | undefined;
  /** The key it acts with; undefined for a member who is signed in. */
  readonly keyId: string | undefined;
  readonly role: Role;
  /** What keys it makes may have at most. */
  readonly rights: Rights;
  /** How many keys its member may have at once; undefined: no bound. */
  readonly maxKeys?: number | undefined;
};

export type Actor = { readonly kind: 'operator' } | Manager;

/** The least role that may, or only the operator. */
export type Permission = Role | 'operator';

export const actorName = (actor: Actor): string => (actor.kind === 'operator' ? 'operator' : actor.name);

const requireActive = (isSuspended: boolean): void => {
  if (isSuspended) throw new AdminProblem('forbidden', 'This account is suspended.');
};

export function managerByKey({ keyId, accountId, memberId, isSuspended, role, rights }: KeyRecord): Manager {
  requireActive(isSuspended);
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

/** `bounds`: of keys that members of this role make for themselves. */
export function managerByMember(
  { accountId, memberId, isSuspended, role }: SignedInMember,
  { rights, maxKeys }: MemberBounds,
): Manager {
  requireActive(isSuspended);
  return {
    kind: 'manager',
    name: `member:${memberId}`,
    accountId,
    memberId,
    keyId: undefined,
    role,
    rights: { ...rights, manages: role },
    maxKeys,
  };
}

/** Another account is looked for and not found, before anything else is said about it. */
export function requirePermission(actor: Actor, permission: Permission, accountId: string | undefined): void {
  if (actor.kind === 'operator') return;
  if (accountId !== undefined && accountId !== actor.accountId) throw notFound('Account', accountId);
  if (permission === 'operator' || roleRank(actor.role) < roleRank(permission))
    throw new AdminProblem('forbidden', 'This credential may not do that.');
}

/** A role above one's own is neither given nor taken away. */
export function requireRank(actor: Actor, role: Role | undefined): void {
  if (actor.kind === 'manager' && roleRank(role) > roleRank(actor.role))
    throw new AdminProblem('forbidden', 'This credential may not give or change a role above its own.');
}
