/** Operators' secrets in the database: created at the first start, replaced from the command line. */
import { sql } from 'kysely';
import { OPERATOR, type Store } from '../../store/postgres/store.ts';
import { endOperatorSessions } from './rows.ts';

export const isOperatorSecret = (store: Store, hash: string): Promise<boolean> =>
  store.within(OPERATOR, async (db) => {
    const found = await db
      .selectFrom('operator_secrets')
      .select('created_at')
      .where('hash', '=', Buffer.from(hash, 'hex'))
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    return found !== undefined;
  });

/** False if there is one already, or has ever been. */
export const insertFirstSecret = (store: Store, hash: string): Promise<boolean> =>
  store.within(OPERATOR, async (db) => {
    const inserted = await db
      .insertInto('operator_secrets')
      .columns(['hash', 'is_first'])
      .expression(sql`select ${Buffer.from(hash, 'hex')}::bytea, true where not exists (select from operator_secrets)`)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return inserted.numInsertedOrUpdatedRows === 1n;
  });

/** Replaces all others, and ends the sessions of operators. */
export const replaceSecrets = (store: Store, hash: string): Promise<void> =>
  store.within(OPERATOR, async (db) => {
    await db
      .updateTable('operator_secrets')
      .set({ revoked_at: sql<Date>`now()` })
      .where('revoked_at', 'is', null)
      .execute();
    await db
      .insertInto('operator_secrets')
      .values({ hash: Buffer.from(hash, 'hex') })
      .execute();
    await endOperatorSessions(db);
  });
