/** Keys at the admin API. A secret is only in the answer that creates it. */

import { hashSecret, newKeySecret, shownPrefix } from '../../people/accounts/key-secret.ts';
import { type Db, OPERATOR } from '../../store/postgres/store.ts';
import { findMember } from '../accounts/member-rows.ts';
import { findAccount } from '../accounts/rows.ts';
import { type Actor, requireRank } from '../api/actor.ts';
import { change } from '../api/change.ts';
import { listOfItems, Page } from '../api/contract.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem, notFound, timeIn } from '../api/problem.ts';
import { type DatabasePorts, pageOf, pageSize, routeWith } from '../api/route.ts';
import { shown } from '../api/shown.ts';
import {
  FoundKey,
  Key,
  KeyChange,
  KeySearch,
  KeyWithSecret,
  NewKey,
  Revocation,
  Revoked,
  Rotation,
} from './contract.ts';
import { type ConfiguredKey, findKeys, type KeyPlace } from './find-keys.ts';
import { grantedRights, isOwn, narrowedRights, requireNoMore } from './key-permissions.ts';
import {
  countKeysOfMember,
  findKey,
  insertKey,
  listKeys,
  revokeKeys,
  rotateKey,
  type StoredKey,
  updateKey,
} from './rows.ts';

export type KeyPorts = DatabasePorts & {
  /** Configured keys. */
  readonly fileKeys: () => readonly ConfiguredKey[];
};

const route = routeWith<KeyPorts>();

const show = (row: StoredKey): Key => shown(Key, row);

async function requireKey(db: Db, actor: Actor, accountId: string, id: string): Promise<StoredKey> {
  const key = await findKey(db, accountId, id);
  if (key === undefined) throw notFound('Key', id);
  requireRank(actor, key.rights.manages);
  if (!isOwn(actor, { memberId: key.member_id, parentId: key.parent_id }))
    throw new AdminProblem('forbidden', 'Developers may change their own keys only.');
  return key;
}

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

/** Account ids contain no slash. */
const placeOf = (after = ''): KeyPlace => {
  const [accountId = '', id = ''] = after.split('/', 2);
  return { accountId, id };
};

const LIST = '/accounts/{account}/keys';
const ONE = `${LIST}/{id}`;

export const keyRoutes = [
  route({
    method: 'GET',
    path: '/keys',
    name: 'findKeys',
    summary: 'Searches keys of the database and of the configuration; operators search all accounts.',
    permission: 'viewer',
    query: KeySearch,
    answer: listOfItems(FoundKey),
    run: ({ store, fileKeys, actor, query }) => {
      const { after, limit: asked, ...filter } = query;
      if (actor.kind === 'manager' && (filter.account ?? actor.accountId) !== actor.accountId)
        throw notFound('Account', filter.account);
      if (filter.expiringBefore !== undefined) timeIn(filter.expiringBefore, 'expiringBefore');
      const limit = pageSize(asked);
      return store.within(actor.kind === 'manager' ? actor.accountId : OPERATOR, async (db) => {
        const fromFile = fileKeys().filter(
          ({ account_id }) => actor.kind === 'operator' || account_id === actor.accountId,
        );
        const rows = await findKeys(db, filter, fromFile, placeOf(after), limit);
        return pageOf(
          rows,
          limit,
          (row) => shown(FoundKey, row),
          ({ account_id, id }) => `${account_id}/${id}`,
        );
      });
    },
  }),
  route({
    method: 'GET',
    path: LIST,
    name: 'listKeys',
    summary: 'Lists the keys of an account, including revoked ones.',
    permission: 'viewer',
    query: Page,
    answer: listOfItems(Key),
    run: ({ store, accountId, query }) =>
      store.within(accountId, async (db) => {
        if ((await findAccount(db, accountId)) === undefined) throw notFound('Account', accountId);
        const limit = pageSize(query.limit);
        return pageOf(await listKeys(db, accountId, query.after ?? '', limit), limit, show);
      }),
  }),
  route({
    method: 'POST',
    path: LIST,
    name: 'createKey',
    summary:
      'Creates a key. The secret is returned only here. A key created with a key has at most the rights of that key.',
    permission: 'developer',
    body: NewKey,
    status: 201,
    answer: KeyWithSecret,
    run: (asked) =>
      change(asked, 'key.create', async (db) => {
        const { actor, accountId, body } = asked;
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
        return { answer: { key: show(key), secret }, subject: key.id, detail: { ...body, rights, memberId } };
      }),
  }),
  route({
    method: 'GET',
    path: ONE,
    name: 'getKey',
    summary: 'Returns a key.',
    permission: 'viewer',
    answer: Key,
    run: ({ store, accountId, id }) =>
      store.within(accountId, async (db) => {
        const key = await findKey(db, accountId, id);
        if (key === undefined) throw notFound('Key', id);
        return show(key);
      }),
  }),
  route({
    method: 'PATCH',
    path: ONE,
    name: 'changeKey',
    summary: 'Renames a key or restricts its rights. Omitted rights stay; no right can be widened.',
    permission: 'developer',
    body: KeyChange,
    answer: Key,
    run: (asked) =>
      change(asked, 'key.change', async (db) => {
        const { actor, accountId, id, body } = asked;
        const key = await requireKey(db, actor, accountId, id);
        const changes = {
          ...body,
          ...(body.rights !== undefined && { rights: narrowedRights(body.rights, key.rights) }),
        };
        const changed = await updateKey(db, accountId, id, changes);
        if (changed === undefined) throw new AdminProblem('conflict', 'The key is revoked.');
        return { answer: show(changed), detail: { ...changes, before: shown(KeyChange, key) }, isCached: true };
      }),
  }),
  route({
    method: 'POST',
    path: `${ONE}/rotate`,
    name: 'rotateKey',
    summary: 'Creates a new secret for a key. The old secret stays valid for `graceSeconds`.',
    permission: 'developer',
    body: Rotation,
    answer: KeyWithSecret,
    run: (asked) =>
      change(asked, 'key.rotate', async (db) => {
        const { actor, accountId, id, body } = asked;
        requireNoMore(actor, await requireKey(db, actor, accountId, id));
        const secret = newKeySecret();
        const fresh = { hash: hashSecret(secret), prefix: shownPrefix(secret), graceSeconds: body.graceSeconds };
        const key = await rotateKey(db, accountId, id, fresh);
        if (key === undefined) throw new AdminProblem('conflict', 'The key is revoked.');
        return { answer: { key: show(key), secret }, detail: body, isCached: true };
      }),
  }),
  route({
    method: 'POST',
    path: `${ONE}/revoke`,
    name: 'revokeKey',
    summary: 'Revokes a key and its child keys, on all nodes within 1 s.',
    permission: 'developer',
    body: Revocation,
    answer: Revoked,
    run: (asked) =>
      change(asked, 'key.revoke', async (db) => {
        const { actor, accountId, id, body } = asked;
        await requireKey(db, actor, accountId, id);
        const revoked = await revokeKeys(db, accountId, [id], body.children);
        return { answer: { revoked }, detail: { revoked }, isCached: true };
      }),
  }),
];
