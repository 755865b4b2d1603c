/** The rows of remembered turns, each owned by one account and encrypted before it gets here. */
import { sql } from 'kysely';
import { OPERATOR, type Store } from './store.ts';

export type SealedTurn = { readonly callId: string; readonly sealed: Buffer };

const SWEEP_ROWS = 1000;

export class KeptTurnRows {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async keep(accountId: string, turns: readonly SealedTurn[], ttlMs: number): Promise<void> {
    const callIds = turns.map(({ callId }) => callId);
    const sealed = turns.map((turn) => turn.sealed);
    await this.#store.within(accountId, (db) =>
      sql`insert into kept_turns (account_id, call_id, sealed, expires_at)
        select ${accountId}, call_id, sealed, now() + ${ttlMs} * interval '1 ms'
        from unnest(${callIds}::text[], ${sealed}::bytea[]) as given (call_id, sealed)
        on conflict (account_id, call_id) do update set sealed = excluded.sealed, expires_at = excluded.expires_at`.execute(
        db,
      ),
    );
  }

  find(accountId: string, callIds: readonly string[]): Promise<readonly SealedTurn[]> {
    return this.#store.within(accountId, async (db) => {
      const { rows } = await sql<SealedTurn>`select call_id as "callId", sealed from kept_turns
        where account_id = ${accountId} and call_id = any(${[...callIds]}::text[]) and expires_at > now()`.execute(db);
      return rows;
    });
  }

  async sweep(): Promise<void> {
    await this.#store.within(OPERATOR, (db) =>
      sql`delete from kept_turns where (account_id, call_id) in
        (select account_id, call_id from kept_turns where expires_at <= now() limit ${SWEEP_ROWS})`.execute(db),
    );
  }
}
