/** Which keys an actor may change or use. */
import { excessOf, type Rights } from '../../people/accounts/rights.ts';
import type { Actor } from '../api/actor.ts';
import { AdminProblem } from '../api/problem.ts';

/** Who reads a new secret, or calls with a key, gets that key's rights: they must not exceed the actor's own. */
export function requireNoMore(actor: Actor, key: { readonly rights: Rights }): void {
  if (actor.kind === 'operator' || excessOf(key.rights, actor.rights).length === 0) return;
  throw new AdminProblem('forbidden', 'The secret of a key with more rights than this one cannot be had with it.');
}

/** Developers may use only their own keys; a developer's key without a member has only those it created. */
export function isOwn(
  actor: Actor,
  key: { readonly memberId: string | null; readonly parentId: string | null },
): boolean {
  if (actor.kind === 'operator' || actor.role !== 'developer') return true;
  const { memberId, keyId } = actor;
  return memberId === undefined ? key.parentId === keyId : key.memberId === memberId;
}
