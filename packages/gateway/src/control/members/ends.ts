/** What ends with a person: the only list of it. Removing or deactivating a member ends all of it in one transaction. */
import { sql } from 'kysely';
import type { Db } from '../../store/postgres/store.ts';
import { endGrantsOf } from '../grants/grant-rows.ts';
import { keysOfMember, revokeKeys } from '../keys/rows.ts';

type EndedKey = { readonly id: string; readonly name: string };

/** By what it is called in the answer: how it is ended, and what of it was. Of what had ended before, nothing. */
const ENDS = {
  /** Not the keys that its keys made for others, who hold them. */
  keys: async (db: Db, accountId: string, memberId: string): Promise<EndedKey[]> => {
    const revoked = await revokeKeys(db, accountId, await keysOfMember(db, accountId, memberId), false);
    const { rows } = await sql<EndedKey>`select id, name from keys
      where account_id = ${accountId} and id = any(${[...revoked]}) order by name, id`.execute(db);
    return rows;
  },
  sessions: async (db: Db, accountId: string, memberId: string): Promise<number> => {
    const ended = await sql`delete from sessions where account_id = ${accountId} and member_id = ${memberId}`.execute(
      db,
    );
    return Number(ended.numAffectedRows ?? 0);
  },
  signInCodes: async (db: Db, accountId: string, memberId: string): Promise<number> => {
    const ended =
      await sql`delete from sign_in_codes where account_id = ${accountId} and member_id = ${memberId}`.execute(db);
    return Number(ended.numAffectedRows ?? 0);
  },
  grants: async (db: Db, accountId: string, memberId: string): Promise<string[]> => [
    ...(await endGrantsOf(db, accountId, memberId)),
  ],
} as const;

type WhatEnds = typeof ENDS;
export type EndedOfMember = { readonly [What in keyof WhatEnds]: Awaited<ReturnType<WhatEnds[What]>> };

/** In a transaction that sees the account. */
export async function endAllOf(db: Db, accountId: string, memberId: string): Promise<EndedOfMember> {
  const ended: Record<string, unknown> = {};
  for (const [what, end] of Object.entries(ENDS)) ended[what] = await end(db, accountId, memberId);
  return ended as EndedOfMember;
}
