/** A new key with its secret, of which only the hash is stored. */
import type { Static } from 'typebox';
import { hashSecret, newKeySecret, shownPrefix } from '../../people/accounts/key-secret.ts';
import type { Db } from '../../store/postgres/store.ts';
import { findMember } from '../accounts/member-rows.ts';
import { findAccount } from '../accounts/rows.ts';
import { type Actor, requireRank } from '../api/actor.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import type { NewKey } from './contract.ts';
import { grantedRights } from './key-permissions.ts';
import { countKeysOfMember, insertKey, type StoredKey } from './rows.ts';

async function requireMember(
  db: Db,
  actor: Actor,
  accountId: string,
  asked: string | undefined,
): Promise<string | null> {
  const memberId = asked ?? (actor.kind === 'manager' ? actor.memberId : undefined);
  if (memberId === undefined) return null;
  const member = await findMember(db, accountId, memberId);
  if (member === undefined) throw new AdminProblem('invalid', `Member "${memberId}" not found.`, 'memberId');
  if (member.deactivated_at !== null) throw new AdminProblem('conflict', 'The member is deactivated.', 'memberId');
  if (actor.kind === 'manager' && actor.role === 'developer' && memberId !== actor.memberId)
    throw new AdminProblem('forbidden', 'Developers may make keys for themselves only.', 'memberId');
  requireRank(actor, member.role);
  return memberId;
}

async function requireRoomForKey(db: Db, actor: Actor, accountId: string, memberId: string | null): Promise<void> {
  const maxKeys = actor.kind === 'manager' ? actor.maxKeys : undefined;
  if (maxKeys === undefined || memberId === null) return;
  if ((await countKeysOfMember(db, accountId, memberId)) >= maxKeys)
    throw new AdminProblem('conflict', `A member may have ${maxKeys} keys at once. Revoke one first.`);
}

type MadeKey = {
  readonly key: StoredKey;
  readonly secret: string;
  /** For the audit log. */
  readonly detail: Readonly<Record<string, unknown>>;
};

export async function makeKey(
  db: Db,
  { actor, accountId }: { readonly actor: Actor; readonly accountId: string },
  body: Static<typeof NewKey>,
): Promise<MadeKey> {
  if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
  const memberId = await requireMember(db, actor, accountId, body.memberId);
  await requireRoomForKey(db, actor, accountId, memberId);
  const rights = grantedRights(body.rights ?? {}, actor);
  const secret = newKeySecret();
  const key = await insertKey(db, {
    ...body,
    accountId,
    id: newId('key'),
    memberId,
    parentId: (actor.kind === 'manager' ? actor.keyId : undefined) ?? null,
    prefix: shownPrefix(secret),
    hash: hashSecret(secret),
    rights,
  });
  return { key, secret, detail: { ...body, rights, memberId } };
}
