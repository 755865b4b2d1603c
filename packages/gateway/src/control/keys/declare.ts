/** Keys of accounts as files declare them. Keys that other keys made belong to those who hold them, and are left alone. */
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import Type, { type Static } from 'typebox';
import { hashSecret, newKeySecret, shownPrefix } from '../../people/accounts/key-secret.ts';
import { excessOf, inheriting, type Rights } from '../../people/accounts/rights.ts';
import { findMember } from '../accounts/member-rows.ts';
import { type Manager, requireRank } from '../api/actor.ts';
import {
  type Applying,
  type DeclaredValue,
  declaredKind,
  entriesOf,
  given,
  type Had,
  hasList,
  type Wanted,
} from '../api/declared.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem } from '../api/problem.ts';
import type { DatabasePorts } from '../api/route.ts';
import { NewKey } from './contract.ts';
import { checkRights, grantedRights } from './key-permissions.ts';
import { countKeysOfMember, revokeKeys, type StoredKey, updateKey } from './rows.ts';

const keyMembers = {
  name: NewKey.properties.name,
  member: Type.Optional(Type.String({ minLength: 1, maxLength: 320, description: 'E-mail or name of its member.' })),
  rights: NewKey.properties.rights,
};
const KeyEntry = Type.Object(keyMembers);
type KeyEntry = Static<typeof KeyEntry>;
type At = Applying<DatabasePorts>;

const ROWS_AT_ONCE = 1000;

/** The same rights however they are ordered. */
const sorted = (rights: DeclaredValue): DeclaredValue =>
  Object.fromEntries(
    Object.entries(rights).map(([name, value]) => [name, Array.isArray(value) ? [...value].sort() : value]),
  );

const rightsIn = ({ value }: Pick<Wanted, 'value'>): Rights => (value['rights'] ?? {}) as Rights;

/** The message is for people who cannot see the other half of the problem: the field of a right goes first. */
function checked<T>(at: At, wanted: Wanted, check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof AdminProblem)) throw error;
    at.report(wanted.path, `${error.field === undefined ? '' : `${error.field} `}${error.message}`);
    return undefined;
  }
}

/** Fewer rights without them, but a change of a key keeps the rights that it leaves out. */
const KEPT_IF_LEFT_OUT = ['manages', 'tolerates'] as const;

const memberIdOf = (at: At, { account, value }: Wanted): string | undefined =>
  value['member'] === undefined ? undefined : at.idOf('member', account, String(value['member']));

function changeOf(at: At, wanted: Wanted, had: Had) {
  const row = had.row as StoredKey;
  // A key that this key made has its limits where the file leaves them out.
  const rights =
    row.parent_id === null || at.actor.kind === 'operator'
      ? rightsIn(wanted)
      : inheriting(rightsIn(wanted), at.actor.rights);
  if (isDeepStrictEqual(sorted(rights), sorted(row.rights))) return undefined;
  const fixed = [
    ...excessOf(rights, row.rights),
    ...KEPT_IF_LEFT_OUT.filter((name) => name in row.rights && !(name in rights)),
  ];
  if (fixed.length > 0)
    at.report(
      wanted.path,
      `${fixed.map((name) => `rights.${name}`).join(', ')} of key "${wanted.name}" can only be narrowed, not left out: give it another name, which makes a new key, and prune the old one`,
    );
  checked(at, wanted, () => {
    checkRights(rights);
    requireRank(at.actor, row.rights.manages);
  });
  return { before: { rights: row.rights }, after: { rights } };
}

/** As for single keys: none for a member above the actor, and no more per member than its sign-in allows. */
async function requireMembers(
  at: At,
  actor: Manager,
  wanted: readonly Wanted[],
  rows: readonly { readonly account_id: string; readonly member_id: string | null }[],
): Promise<void> {
  for (const [index, { account_id: account, member_id: memberId }] of rows.entries()) {
    const one = wanted[index];
    if (memberId === null || one === undefined) continue;
    const member = await findMember(at.db, account, memberId);
    checked(at, one, () => requireRank(actor, member?.role));
    if (actor.maxKeys !== undefined && (await countKeysOfMember(at.db, account, memberId)) > actor.maxKeys)
      at.report(one.path, `a member may have ${actor.maxKeys} keys at once`);
  }
}

export const keyKind = declaredKind<DatabasePorts>({
  kind: 'key',
  permission: 'admin',
  schema: { keys: keyMembers },
  hasSecret: () => true,
  *wanted(document, at) {
    for (const { account, entry, path } of entriesOf<KeyEntry>(document, 'keys')) {
      const { name, member, rights } = entry;
      if (member !== undefined && at.idOf('member', account, member) === undefined)
        at.report([...path, 'member'], `member "${member}" is neither in this account's list nor in the gateway`);
      yield { account, name, value: given({ member, rights }), path };
    }
  },
  isListed: (document, had) => hasList(document, had, 'keys'),
  read: async (at) => {
    const { db, accounts, actor } = at;
    const ownId = actor.kind === 'manager' ? (actor.keyId ?? '') : '';
    // The key that this run is made with is never pruned: it would end the next run.
    const { rows } = await sql<StoredKey>`
      select * from keys where revoked_at is null and id <> ${ownId}
        and (parent_id is null or parent_id = ${ownId})
        and ${accounts === undefined ? sql`true` : sql`account_id = any(${accounts})`}
      order by account_id, name, id`.execute(db);
    return rows.map((row) => {
      const { account_id: account, id, name, rights, member_id: memberId } = row;
      const member = memberId === null ? undefined : at.nameOf('member', account, memberId);
      return { account, id, name, value: given({ member, rights }), row };
    });
  },
  difference: (at, wanted, had) => {
    if (had === undefined) {
      const rights = checked(at, wanted, () => grantedRights(rightsIn(wanted), at.actor));
      const { member } = wanted.value;
      return rights && { after: given({ member, rights: wanted.value['rights'] }) };
    }
    const memberId = memberIdOf(at, wanted);
    if (memberId !== undefined && memberId !== (had.row as StoredKey).member_id) {
      at.report(
        [...wanted.path, 'member'],
        `key "${wanted.name}" cannot be moved to another member: give it another name`,
      );
      return undefined;
    }
    return changeOf(at, wanted, had);
  },
  create: async (at, wanted) => {
    const own = at.actor.kind === 'manager' ? at.actor : undefined;
    const rows = wanted.map((one) => {
      const rights = grantedRights(rightsIn(one), at.actor);
      const id = newId('key');
      const secret = newKeySecret();
      const memberId = memberIdOf(at, one) ?? own?.memberId ?? null;
      at.made('key', one, id);
      at.giveSecret('key', one, secret);
      at.note({
        accountId: one.account,
        action: 'key.create',
        subject: id,
        detail: { name: one.name, rights, memberId },
      });
      return {
        id,
        account_id: one.account,
        name: one.name,
        member_id: memberId,
        parent_id: own?.keyId ?? null,
        prefix: shownPrefix(secret),
        hash: Buffer.from(hashSecret(secret), 'hex'),
        rights: JSON.stringify(rights),
        expires_at: rights.expiresAt ?? null,
      };
    });
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
      await at.db
        .insertInto('keys')
        .values(rows.slice(from, from + ROWS_AT_ONCE))
        .execute();
    if (own !== undefined) await requireMembers(at, own, wanted, rows);
  },
  change: async (at, changes) => {
    for (const { wanted, had } of changes) {
      const rights = (changeOf(at, wanted, had)?.after.rights ?? {}) as Rights;
      await updateKey(at.db, wanted.account, had.id, { rights });
      const detail = { rights, before: { rights: (had.row as StoredKey).rights } };
      at.note({ accountId: wanted.account, action: 'key.change', subject: had.id, detail }, true);
    }
  },
  remove: async (at, had) => {
    for (const { account, id, row } of had) {
      requireRank(at.actor, (row as StoredKey).rights.manages);
      const revoked = await revokeKeys(at.db, account, [id], true);
      at.note({ accountId: account, action: 'key.revoke', subject: id, detail: { revoked } }, true);
    }
  },
  write: (had, into) => {
    for (const { account, name, value } of had) {
      const { member, rights } = value;
      const isAny = Object.keys(rights as Rights).length === 0;
      into.add('keys', account, name, { name, ...given({ member, rights: isAny ? undefined : rights }) });
    }
  },
});
