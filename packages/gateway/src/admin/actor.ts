/** Who asks at the admin API: the operator, or a key that manages its own account. And what each may do. */

import type { KeyRecord } from '../accounts/key-source.ts';
import { type Role, roleRank } from '../accounts/rights.ts';
import { AdminProblem, notFound } from './problem.ts';

export type Actor =
  | { readonly kind: 'operator' }
  | { readonly kind: 'manager'; readonly key: KeyRecord; readonly role: Role };

/** The least role that may, or only the operator. */
export type Permission = Role | 'operator';

export const actorName = (actor: Actor): string => (actor.kind === 'operator' ? 'operator' : `key:${actor.key.keyId}`);

/** Somebody else's account is looked for and not found, before anything else is said about it. */
export function requirePermission(actor: Actor, permission: Permission, accountId: string | undefined): void {
  if (actor.kind === 'operator') return;
  if (accountId !== undefined && accountId !== actor.key.accountId) throw notFound('Account', accountId);
  if (permission === 'operator' || roleRank(actor.role) < roleRank(permission))
    throw new AdminProblem('forbidden', 'This credential may not do that.');
}

/** Nobody hands out or takes away what is above them. */
export function requireRank(actor: Actor, role: Role | undefined): void {
  if (actor.kind === 'manager' && roleRank(role) > roleRank(actor.role))
    throw new AdminProblem('forbidden', 'This credential may not give or change a role above its own.');
}
