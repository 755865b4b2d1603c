/**
 * The rows of responses made in the background. A worker names the number of its run: once another has
 * taken it over, or it has ended, nothing that comes later changes it.
 */
import { sql } from 'kysely';
import { type Db, OPERATOR, type Store } from '../../../store/postgres/store.ts';

type JobState = 'queued' | 'running' | EndState;
export type EndState = 'completed' | 'incomplete' | 'failed' | 'cancelled';

export type JobKey = { readonly accountId: string; readonly id: string };

export type NewJob = JobKey & {
  readonly requestId: string;
  readonly keyId: string;
  readonly modelId: string;
  readonly priceVersion: string;
  readonly holdNano: bigint;
  readonly isStreamed: boolean;
  readonly dataKeyId: string;
  readonly shown: Buffer;
  readonly sealed: Buffer;
};

export type ClaimedJob = NewJob & {
  readonly run: number;
  readonly isCancelAsked: boolean;
  /** Of the events of an earlier run: callers may have read them. */
  readonly lastEvent: number | null;
  /** Until its time is over. */
  readonly leftMs: number;
};

type Claim = Omit<ClaimedJob, 'lastEvent'>;

export type JobRow = JobKey & {
  readonly state: JobState;
  readonly isStreamed: boolean;
  readonly dataKeyId: string;
  readonly shown: Buffer;
};

export type EventBatch = {
  readonly first: number;
  readonly last: number;
  readonly dataKeyId: string;
  readonly sealed: Buffer;
};

export type EventsAsked = JobKey & { readonly after: number };
export type EventsFound = { readonly isOver: boolean; readonly batches: readonly EventBatch[] };

export type JobSpans = { readonly deadlineMs: number; readonly keepMs: number; readonly maxOpen: number };

const SWEEP_ROWS = 500;
/** Most batches of one response that are read at once. */
const BATCHES_AT_ONCE = 32;
/** Claims wait for each other, so that no account gets more than it may. */
const CLAIMING = 6_902_417;

const CLAIMED = sql`j.account_id as "accountId", j.id, j.request_id as "requestId", j.key_id as "keyId",
  j.model_id as "modelId", j.price_version as "priceVersion", j.hold_nano as "holdNano",
  j.is_streamed as "isStreamed", j.data_key_id as "dataKeyId", j.shown, j.sealed, j.run,
  j.is_cancel_asked as "isCancelAsked",
  (extract(epoch from j.deadline_at - now()) * 1000)::float8 as "leftMs"`;

export class BackgroundRows {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Their holds belong to no process: their node never counts as dead. */
  async enlist(epoch: string): Promise<void> {
    await sql`insert into ledger_nodes (epoch, node, beat_at_ms, state)
      values (${epoch}, ${epoch}, ${Number.MAX_SAFE_INTEGER}, 'alive') on conflict do nothing`.execute(
      this.#store.writer,
    );
  }

  /** False if the account has as many that have not ended as it may. */
  async insert(db: Db, job: NewJob, { deadlineMs, keepMs, maxOpen }: JobSpans): Promise<boolean> {
    await sql`select pg_advisory_xact_lock(${CLAIMING}::integer, hashtext(${job.accountId}))`.execute(db);
    const { rows } = await sql`
      insert into background_jobs (account_id, id, request_id, key_id, model_id, price_version, hold_nano, is_streamed,
        data_key_id, shown, sealed, bytes, deadline_at, expires_at)
      select ${job.accountId}, ${job.id}, ${job.requestId}, ${job.keyId}, ${job.modelId}, ${job.priceVersion},
        ${job.holdNano}::bigint, ${job.isStreamed}::boolean, k.id, ${job.shown}, ${job.sealed},
        ${job.shown.length + job.sealed.length}::integer,
        now() + ${deadlineMs} * interval '1 ms', now() + ${deadlineMs + keepMs} * interval '1 ms'
      from capture_keys k
      where k.account_id = ${job.accountId} and k.id = ${job.dataKeyId} and ${maxOpen}::integer > (
        select count(*) from background_jobs where account_id = ${job.accountId} and finished_at is null)
      returning 1`.execute(db);
    return rows.length > 0;
  }

  /** One that was inserted in the same transaction. */
  withdraw(db: Db, { accountId, id }: JobKey): Promise<unknown> {
    return sql`delete from background_jobs where account_id = ${accountId} and id = ${id}`.execute(db);
  }

  /**
   * The oldest that waits, or whose worker has died, of an account that may have one more at once: counted once for all that
   * wait, however long a queue is.
   */
  claim(leaseMs: number, perAccount: number): Promise<ClaimedJob | undefined> {
    return this.#store.within(OPERATOR, async (db) => {
      const free = await sql`select where exists (select from background_jobs where finished_at is null
        and (state = 'queued' or lease_until < now()))`.execute(db);
      if (free.rows.length === 0) return undefined;
      await sql`select pg_advisory_xact_lock(${CLAIMING}::bigint)`.execute(db);
      const { rows } = await sql<Claim>`
        with due as (
          select account_id, id from background_jobs d
          where finished_at is null and (state = 'queued' or lease_until < now())
            and d.account_id not in (select r.account_id from background_jobs r
              where r.finished_at is null and r.state = 'running' and r.lease_until >= now()
              group by r.account_id having count(*) >= ${perAccount}::integer)
          order by created_at limit 1 for update skip locked)
        update background_jobs j set state = 'running', run = j.run + 1,
          lease_until = now() + ${leaseMs} * interval '1 ms'
        from due where j.account_id = due.account_id and j.id = due.id
        returning ${CLAIMED}`.execute(db);
      return rows[0] && withLastEvent(db, rows[0]);
    });
  }

  /** One that no worker has yet. */
  claimQueued({ accountId, id }: JobKey, leaseMs: number): Promise<ClaimedJob | undefined> {
    return this.#store.within(accountId, async (db) => {
      const { rows } = await sql<Claim>`
        update background_jobs j set state = 'running', run = run + 1,
          lease_until = now() + ${leaseMs} * interval '1 ms'
        where account_id = ${accountId} and id = ${id} and state = 'queued' returning ${CLAIMED}`.execute(db);
      return rows[0] && { ...rows[0], lastEvent: null };
    });
  }

  /** Those that are still theirs who work on them, and whether their callers want them to end. */
  beat(
    runs: readonly (JobKey & { readonly run: number })[],
    leaseMs: number,
  ): Promise<readonly (JobKey & { readonly run: number; readonly isCancelAsked: boolean })[]> {
    return this.#store.within(OPERATOR, async (db) => {
      const { rows } = await sql<JobKey & { run: number; isCancelAsked: boolean }>`
        update background_jobs j set lease_until = now() + ${leaseMs} * interval '1 ms'
        from unnest(${runs.map(({ accountId }) => accountId)}::text[], ${runs.map(({ id }) => id)}::text[],
          ${runs.map(({ run }) => run)}::integer[]) as own (account_id, id, run)
        where j.account_id = own.account_id and j.id = own.id and j.run = own.run and j.state = 'running'
        returning j.account_id as "accountId", j.id, j.run, j.is_cancel_asked as "isCancelAsked"`.execute(db);
      return rows;
    });
  }

  /** False if the run is not its any more. Writing one twice leaves one. */
  append(job: JobKey & { readonly run: number }, batch: EventBatch): Promise<boolean> {
    return this.#store.within(job.accountId, async (db) => {
      const { rows } = await sql`select 1 from background_jobs where account_id = ${job.accountId} and id = ${job.id}
        and run = ${job.run} and state = 'running' for share`.execute(db);
      if (rows.length === 0) return false;
      await this.insertEvents(db, job, batch);
      return true;
    });
  }

  async insertEvents(db: Db, { accountId, id }: JobKey, { first, last, dataKeyId, sealed }: EventBatch): Promise<void> {
    await sql`insert into background_events (account_id, id, first, last, data_key_id, bytes, sealed)
      select ${accountId}, ${id}, ${first}::integer, ${last}::integer, k.id, ${sealed.length}::integer, ${sealed}
      from capture_keys k where k.account_id = ${accountId} and k.id = ${dataKeyId}
      on conflict do nothing`.execute(db);
  }

  /**
   * False if the run is not its any more. Within the transaction that does all else: its events expire at the very moment that
   * its response does.
   */
  async finish(
    db: Db,
    { accountId, id, run }: JobKey & { readonly run: number },
    state: EndState,
    keepMs: number,
  ): Promise<boolean> {
    const { rows } = await sql`
      update background_jobs set state = ${state}, sealed = null, bytes = octet_length(shown), finished_at = now(),
        lease_until = null, expires_at = now() + ${keepMs} * interval '1 ms'
      where account_id = ${accountId} and id = ${id} and run = ${run} and state = 'running' returning 1`.execute(db);
    return rows.length > 0;
  }

  find(accountId: string, id: string): Promise<JobRow | undefined> {
    return this.#store.within(accountId, async (db) => {
      const { rows } = await sql<JobRow>`
        select j.account_id as "accountId", j.id, j.state, j.is_streamed as "isStreamed",
          j.data_key_id as "dataKeyId", j.shown
        from background_jobs j join capture_keys k on k.account_id = j.account_id and k.id = j.data_key_id
        where j.account_id = ${accountId} and j.id = ${id} and (j.finished_at is null or j.expires_at > now())`.execute(
        db,
      );
      return rows[0];
    });
  }

  /** Another may take it over at once. */
  giveBack({ accountId, id, run }: JobKey & { readonly run: number }): Promise<unknown> {
    return this.#store.within(accountId, (db) =>
      sql`update background_jobs set lease_until = now() - interval '1 second'
        where account_id = ${accountId} and id = ${id} and run = ${run} and state = 'running'`.execute(db),
    );
  }

  askCancel(accountId: string, id: string): Promise<unknown> {
    return this.#store.within(accountId, (db) =>
      sql`update background_jobs set is_cancel_asked = true
        where account_id = ${accountId} and id = ${id} and finished_at is null`.execute(db),
    );
  }

  /** In the order asked; undefined where it is gone. */
  async events(asked: readonly EventsAsked[]): Promise<readonly (EventsFound | undefined)[]> {
    const { rows } = await this.#store.within(OPERATOR, (db) =>
      sql<{ at: bigint; isOver: boolean; first: number | null } & Omit<EventBatch, 'first'>>`
        select own.at, j.finished_at is not null as "isOver", e.first, e.last, e.data_key_id as "dataKeyId", e.sealed
        from unnest(${asked.map(({ accountId }) => accountId)}::text[], ${asked.map(({ id }) => id)}::text[],
            ${asked.map(({ after }) => after)}::integer[]) with ordinality as own (account_id, id, after, at)
          join background_jobs j on j.account_id = own.account_id and j.id = own.id
          left join lateral (
            select * from background_events e where e.account_id = own.account_id and e.id = own.id
              and e.last > own.after order by e.first limit ${BATCHES_AT_ONCE}) as e on true
        order by own.at, e.first`.execute(db),
    );
    const found = new Map<number, { isOver: boolean; batches: EventBatch[] }>();
    for (const { at, isOver, first, ...batch } of rows) {
      const place = Number(at) - 1;
      const known = found.get(place) ?? { isOver, batches: [] };
      if (first !== null) known.batches.push({ first, ...batch });
      found.set(place, known);
    }
    return asked.map((_, at) => found.get(at));
  }

  /** With its events. Only one that has ended. */
  async delete(accountId: string, id: string): Promise<void> {
    await this.#store.within(accountId, (db) =>
      sql`delete from background_jobs where account_id = ${accountId} and id = ${id}
        and finished_at is not null`.execute(db),
    );
  }

  /** Deletes a batch of those that have expired; returns their number. */
  async sweep(): Promise<number> {
    const { rows } = await this.#store.within(OPERATOR, (db) =>
      sql`delete from background_jobs where (account_id, id) in (
        select account_id, id from background_jobs where finished_at is not null and expires_at <= now()
        limit ${SWEEP_ROWS} for update skip locked) returning 1`.execute(db),
    );
    return rows.length;
  }
}

/** Read once the claim is made: its own statement would not see what the worker before it stored until its row was locked. */
async function withLastEvent(db: Db, claim: Claim): Promise<ClaimedJob> {
  const { rows } = await sql<Pick<ClaimedJob, 'lastEvent'>>`
    select max(last) as "lastEvent" from background_events
    where account_id = ${claim.accountId} and id = ${claim.id}`.execute(db);
  return { ...claim, lastEvent: rows[0]?.lastEvent ?? null };
}
