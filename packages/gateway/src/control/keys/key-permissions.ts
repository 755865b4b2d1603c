/** Which keys an actor may change or use, and which rights it may give. */
import { isRange } from '../../people/accounts/address-ranges.ts';
import { excessOf, inheriting, type Rights, withinCeiling } from '../../people/accounts/rights.ts';
import type { Actor } from '../api/actor.ts';
import { AdminProblem, timeIn } from '../api/problem.ts';

/** Who reads a new secret, or calls with a key, gets that key's rights: they must not exceed the actor's own. */
export function requireNoMore(actor: Actor, key: { readonly rights: Rights; readonly member_id: string | null }): void {
  if (actor.kind === 'operator') return;
  const isOwnKey = actor.memberId !== undefined && key.member_id === actor.memberId;
  const rights = isOwnKey ? withinCeiling(key.rights, actor.ceiling) : key.rights;
  if (excessOf(rights, actor.rights).length === 0) return;
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

export function checkRights(asked: Rights): void {
  for (const [index, range] of (asked.addresses ?? []).entries())
    if (!isRange(range))
      throw new AdminProblem('invalid', 'must be an address or a range', `rights.addresses[${index}]`);
  if (asked.expiresAt !== undefined) timeIn(asked.expiresAt, 'rights.expiresAt');
}

/** The requested rights, completed with the creator's limits; refused if they exceed the creator's. */
export function grantedRights(asked: Rights, actor: Actor): Rights {
  checkRights(asked);
  if (actor.kind === 'operator') return asked;
  const rights = inheriting(asked, actor.rights);
  const [first] = excessOf(rights, actor.rights);
  if (first !== undefined)
    throw new AdminProblem(
      'forbidden',
      'A key cannot have more rights than the one it is made with.',
      `rights.${first}`,
    );
  return rights;
}

/** A key's rights are never widened: it may have been handed out because of its limits. */
export function narrowedRights(asked: Rights, current: Rights): Rights {
  checkRights(asked);
  const { manages = current.manages } = asked;
  const rights = { ...inheriting(asked, current), ...(manages !== undefined && { manages }) };
  const [first] = excessOf(rights, current);
  if (first !== undefined)
    throw new AdminProblem('invalid', 'can only be narrowed; create another key for more', `rights.${first}`);
  return rights;
}
