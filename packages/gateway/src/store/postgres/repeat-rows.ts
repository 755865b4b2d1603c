/** The rows of Idempotency-Keys. A row belongs to one request; updates by any other request have no effect. */
import { sql } from 'kysely';
import type { IdempotencyClaim, StoredAnswer } from '../../kernel/idempotency.ts';
import { OPERATOR, type Store } from './store.ts';

export type RepeatOwner = { readonly accountId: string; readonly key: string; readonly requestId: string };

export type SealedAnswer = { readonly dataKeyId: string; readonly sealed: Buffer };

export type FoundRepeat =
  | { readonly kind: 'taken' }
  /** Another request is making the call, or had the key until just now. */
  | { readonly kind: 'running' }
  | { readonly kind: 'sealed'; readonly requestId: string; readonly answer: SealedAnswer }
  | Exclude<IdempotencyClaim, { readonly kind: 'first' }>;

const SWEEP_ROWS = 500;

export class RepeatRows {
  readonly #store: Store;
  /** Unique to this process. */
  readonly #node: string;
  readonly #aliveMs: number;

  constructor(store: Store, node: string, aliveMs: number) {
    this.#store = store;
    this.#node = node;
    this.#aliveMs = aliveMs;
  }

  /** Takes the key if it is free, has expired, or belongs to a node without a recent heartbeat. */
  take(owner: RepeatOwner, content: Buffer, ttlMs: number): Promise<FoundRepeat> {
    const { accountId, key, requestId } = owner;
    return this.#store.within(accountId, async (db) => {
      const taken = await sql`
        insert into repeats (account_id, key, content, request_id, node, state, alive_until, expires_at)
        values (${accountId}, ${key}, ${content}, ${requestId}, ${this.#node}, 'running',
          now() + ${this.#aliveMs} * interval '1 ms', now() + ${ttlMs} * interval '1 ms')
        on conflict (account_id, key) do update set
          content = excluded.content, request_id = excluded.request_id, node = excluded.node, state = 'running',
          alive_until = excluded.alive_until, expires_at = excluded.expires_at, answer = null, body = null,
          sealed = null, data_key_id = null
        where repeats.expires_at <= now()
          or (repeats.state = 'running' and repeats.alive_until <= now() and repeats.content = excluded.content)
        returning 1`.execute(db);
      if (taken.rows.length > 0) return { kind: 'taken' };
      const row = await db
        .selectFrom('repeats')
        .select(['content', 'state', 'request_id', 'answer', 'body', 'sealed', 'data_key_id'])
        .where('account_id', '=', accountId)
        .where('key', '=', key)
        .executeTakeFirst();
      if (row === undefined) return { kind: 'running' };
      if (!row.content.equals(content)) return { kind: 'other-content' };
      if (row.state === 'too-long') return { kind: 'too-long', requestId: row.request_id };
      if (row.state === 'running') return { kind: 'running' };
      if (row.answer !== null && row.body !== null) return { kind: 'kept', answer: { ...row.answer, body: row.body } };
      if (row.sealed === null || row.data_key_id === null) return { kind: 'running' };
      return {
        kind: 'sealed',
        requestId: row.request_id,
        answer: { dataKeyId: row.data_key_id, sealed: row.sealed },
      };
    });
  }

  async keep({ accountId, key, requestId }: RepeatOwner, { body, ...answer }: StoredAnswer): Promise<void> {
    await this.#store.within(accountId, (db) =>
      sql`update repeats set state = 'kept', answer = ${JSON.stringify(answer)}, body = ${body}
        where account_id = ${accountId} and key = ${key} and request_id = ${requestId} and state = 'running'`.execute(
        db,
      ),
    );
  }

  async keepSealed({ accountId, key, requestId }: RepeatOwner, { dataKeyId, sealed }: SealedAnswer): Promise<void> {
    await this.#store.within(accountId, (db) =>
      sql`update repeats set state = 'kept', data_key_id = ${dataKeyId}, sealed = ${sealed}
        where account_id = ${accountId} and key = ${key} and request_id = ${requestId} and state = 'running'`.execute(
        db,
      ),
    );
  }

  async tooLong({ accountId, key, requestId }: RepeatOwner): Promise<void> {
    await this.#store.within(accountId, (db) =>
      sql`update repeats set state = 'too-long'
        where account_id = ${accountId} and key = ${key} and request_id = ${requestId} and state = 'running'`.execute(
        db,
      ),
    );
  }

  async forget({ accountId, key, requestId }: RepeatOwner): Promise<void> {
    await this.#store.within(accountId, (db) =>
      sql`delete from repeats
        where account_id = ${accountId} and key = ${key} and request_id = ${requestId} and state = 'running'`.execute(
        db,
      ),
    );
  }

  /** Heartbeat of this node's calls. */
  async renew(): Promise<void> {
    await this.#store.within(OPERATOR, (db) =>
      sql`update repeats set alive_until = now() + ${this.#aliveMs} * interval '1 ms'
        where node = ${this.#node} and state = 'running'`.execute(db),
    );
  }

  /** Deletes expired rows, some at a time. */
  async sweep(): Promise<void> {
    await this.#store.within(OPERATOR, (db) =>
      sql`delete from repeats where (account_id, key) in
        (select account_id, key from repeats where expires_at <= now() limit ${SWEEP_ROWS})`.execute(db),
    );
  }
}
