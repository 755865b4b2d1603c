/** Which keys an actor may change or use. */
import { excessOf, type Rights } from '../accounts/rights.ts';
import type { Actor } from './actor.ts';
import { AdminProblem } from './problem.ts';

/** A new secret can be used by its reader, and a key by who calls as it: neither may open what is closed to them. */
export function requireNoMore(actor: Actor, key: { readonly rights: Rights }): void {
  if (actor.kind === 'operator' || excessOf(key.rights, actor.rights).length === 0) return;
  throw new AdminProblem('forbidden', 'The secret of a key with more rights than this one cannot be had with it.');
}

/** Developers work with their own keys only; one that belongs to no member has none but those it made. */
export function isOwn(
  actor: Actor,
  key: { readonly memberId: string | null; readonly parentId: string | null },
): boolean {
  if (actor.kind === 'operator' || actor.role !== 'developer') return true;
  const { memberId, keyId } = actor;
  return memberId === undefined ? key.parentId === keyId : key.memberId === memberId;
}
