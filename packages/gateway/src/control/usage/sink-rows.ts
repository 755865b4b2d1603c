/** Usage rows for a copy elsewhere, in an order that misses none, and the position of the copy. */
import { sql } from 'kysely';
import { DAY_MS, dayOf } from '../../money/usage/request-stamp.ts';
import { type Db, OPERATOR, type Store } from '../../store/postgres/store.ts';
import type { SinkBatch, SinkPosition, SinkRows, SinkTurn } from './clickhouse/ports.ts';

/** Earlier than any day. */
const NO_DAY = '0001-01-01';
/** Partitions exist for days up to this far ahead. */
const DAYS_AHEAD = 2;

/**
 * All transactions below it have ended: their writes are visible to every later statement, or never will be. Rows carry
 * the number of the transaction that wrote them, so that one that commits late is still ahead of the position.
 */
const HORIZON = sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;

/** Column names of the destination's tables. Tag values as in the hourly sums. */
const line = (version: bigint) => sql`json_build_object(
  'request_id', u.request_id, 'received_at', to_char(u.received_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS'),
  'account_id', u.account_id, 'key_id', u.key_id,
  'member_id', coalesce(u.member_id, (select k.member_id from keys k where k.account_id = u.account_id and k.id = u.key_id), ''),
  'asked_model', coalesce(u.asked_model, ''), 'model_id', u.model_id, 'provider', coalesce(u.provider, ''),
  'protocol', u.protocol, 'operation', coalesce(u.operation, ''), 'lane', coalesce(u.lane, ''), 'outcome', u.outcome,
  'status', u.status, 'refused', u.refused, 'stream', coalesce(u.stream, false), 'estimated', u.estimated,
  'unpriced', coalesce(u.unpriced, false), 'attempts', coalesce(u.attempts, 0), 'losses', coalesce(u.losses, 0),
  'input_tokens', u.input_tokens, 'output_tokens', u.output_tokens, 'cached_tokens', coalesce(u.cached_tokens, 0),
  'cache_write_tokens', coalesce((u.details -> 'usage' ->> 'inputCacheWrite')::bigint, 0)
    + coalesce((u.details -> 'usage' ->> 'inputCacheWrite5Min')::bigint, 0)
    + coalesce((u.details -> 'usage' ->> 'inputCacheWrite1H')::bigint, 0),
  'reasoning_tokens', coalesce((u.details -> 'usage' ->> 'internalReasoning')::bigint, 0),
  'cost_nano', u.cost_nano, 'duration_ms', u.duration_ms, 'first_token_ms', u.first_byte_ms,
  'tags', coalesce((select json_object_agg(tag.key, case when tag.value in ('', 'other') or exists (
      select from usage_tag_values v where v.account_id = u.account_id and v.tag = tag.key and v.value = tag.value)
    then tag.value else 'other' end) from jsonb_each_text(u.details -> 'tags') as tag), '{}'),
  'version', ${version}::bigint)::text as line`;

type Read = { readonly line: string; readonly tx: bigint; readonly day: string; readonly request_id: string };
type Stored = {
  readonly version: bigint;
  readonly is_filling: boolean;
  readonly next_tx: bigint;
  readonly after_day: string;
  readonly after_request: string;
};

const turnOf = (row: Stored): SinkTurn => ({
  version: row.version,
  isFilling: row.is_filling,
  nextTx: row.next_tx,
  afterDay: row.after_day,
  afterRequest: row.after_request,
});

/** Increases even after a restore or a step of the clock. */
const NEXT_VERSION = sql`greatest(record_sinks.version + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)`;
const SHOWN = sql`version, is_filling, next_tx, after_day::text, after_request`;

const nextDay = (day: string): string => dayOf(Date.parse(`${day}T00:00:00Z`) + DAY_MS);

export class StoredSinkRows implements SinkRows {
  readonly #store: Store;
  readonly #nowMs: () => number;

  constructor(store: Store, nowMs: () => number) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  async draw(id: string): Promise<SinkTurn> {
    const { writer } = this.#store;
    const server = sql`(select system_identifier::text from pg_control_system())`;
    const { rows } = await sql<Stored>`
      update record_sinks set version = ${NEXT_VERSION}
      where id = ${id} and server = ${server} and next_tx <= ${HORIZON} returning ${SHOWN}`.execute(writer);
    return rows[0] === undefined ? this.#begin(id) : turnOf(rows[0]);
  }

  /** Rows committed by now are read by day; later commits and changes are followed afterwards. */
  async #begin(id: string): Promise<SinkTurn> {
    const oldest = await this.#oldestDay();
    return this.#store.writer.transaction().execute(async (db) => {
      await sql`delete from record_sinks where id <> ${id}`.execute(db);
      const { rows } = await sql<Stored>`
        insert into record_sinks (id, server, version, is_filling, next_tx, after_day, after_request, covered_from)
        select ${id}, system_identifier::text, (extract(epoch from clock_timestamp()) * 1000000)::bigint, true,
          ${HORIZON}, ${oldest}::date, '', ${oldest}::date
        from pg_control_system()
        on conflict (id) do update set version = ${NEXT_VERSION}, server = excluded.server, is_filling = true,
          next_tx = excluded.next_tx, after_day = excluded.after_day, after_request = '',
          covered_from = excluded.covered_from
        returning ${SHOWN}`.execute(db);
      return turnOf(rows[0]!);
    });
  }

  /** From the partitions' names, so that none is read. */
  async #oldestDay(): Promise<string> {
    const { rows } = await sql<{ day: string | null }>`
      select to_char(to_date(min(right(c.relname, 8)), 'YYYYMMDD'), 'YYYY-MM-DD') as day
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'usage_events'::regclass`.execute(this.#store.writer);
    return rows[0]?.day ?? dayOf(this.#nowMs());
  }

  read(turn: SinkTurn, limit: number): Promise<SinkBatch> {
    return turn.isFilling ? this.#readDays(turn, limit) : this.#follow(turn, limit);
  }

  /** JIT-compiling the statement takes PostgreSQL longer than running it for one batch. */
  #reading<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#store.within(OPERATOR, async (db) => {
      await sql`set local jit = off`.execute(db);
      return work(db);
    });
  }

  async #readDays(turn: SinkTurn, limit: number): Promise<SinkBatch> {
    const lastDay = dayOf(this.#nowMs() + DAYS_AHEAD * DAY_MS);
    let { afterDay: day, afterRequest } = turn;
    for (; day <= lastDay; day = nextDay(day), afterRequest = '') {
      const rows = await this.#reading(async (db) => {
        const found = await sql<Pick<Read, 'line' | 'request_id'>>`
          select ${line(turn.version)}, u.request_id from usage_events u
          where u.day = ${day}::date and u.request_id > ${afterRequest} order by u.request_id limit ${limit}`.execute(
          db,
        );
        return found.rows;
      });
      const last = rows.at(-1);
      if (last === undefined) continue;
      const next = { isFilling: true, nextTx: turn.nextTx, afterDay: day, afterRequest: last.request_id };
      return { lines: rows.map((row) => row.line), next, isLast: false };
    }
    return {
      lines: [],
      next: { isFilling: false, nextTx: turn.nextTx, afterDay: NO_DAY, afterRequest: '' },
      isLast: false,
    };
  }

  async #follow({ nextTx, afterDay, afterRequest, version }: SinkTurn, limit: number): Promise<SinkBatch> {
    const { horizon, rows } = await this.#reading(async (db) => {
      // From an earlier snapshot than the rows: everything below it is visible to them.
      const bounds = await sql<{ horizon: bigint }>`select ${HORIZON} as horizon`.execute(db);
      const { horizon } = bounds.rows[0]!;
      const found = await sql<Read>`
        select ${line(version)}, u.stored_tx as tx, u.day::text as day, u.request_id from usage_events u
        where u.stored_tx >= ${nextTx} and u.stored_tx < ${horizon}
          and (u.stored_tx, u.day, u.request_id) > (${nextTx}, ${afterDay}::date, ${afterRequest})
        order by u.stored_tx, u.day, u.request_id limit ${limit}`.execute(db);
      return { horizon, rows: found.rows };
    });
    const last = rows.at(-1);
    const isLast = rows.length < limit;
    const next: SinkPosition =
      isLast || last === undefined
        ? { isFilling: false, nextTx: horizon, afterDay: NO_DAY, afterRequest: '' }
        : { isFilling: false, nextTx: last.tx, afterDay: last.day, afterRequest: last.request_id };
    return { lines: rows.map((row) => row.line), next, isLast };
  }

  async advance(id: string, { version }: SinkTurn, next: SinkPosition): Promise<boolean> {
    const { numAffectedRows = 0n } = await sql`
      update record_sinks set is_filling = ${next.isFilling}, next_tx = ${next.nextTx}, after_day = ${next.afterDay}::date,
        after_request = ${next.afterRequest}
      where id = ${id} and version = ${version}`.execute(this.#store.writer);
    return numAffectedRows > 0n;
  }

  async lagMs(): Promise<number> {
    const { writer } = this.#store;
    const { rows } = await sql<Stored>`select ${SHOWN} from record_sinks`.execute(writer);
    const at = rows[0];
    if (at === undefined) return 0;
    if (at.is_filling) return Math.max(0, this.#nowMs() - Date.parse(`${at.after_day}T00:00:00Z`));
    const { rows: waiting } = await sql<{ ms: number }>`
      select (extract(epoch from now() - stored_at) * 1000)::float8 as ms from usage_events
      where stored_tx >= ${at.next_tx} and (stored_tx, day, request_id) > (${at.next_tx}, ${at.after_day}::date, ${at.after_request})
      order by stored_tx limit 1`.execute(writer);
    return Math.max(0, waiting[0]?.ms ?? 0);
  }

  /** The first moment that the copy has in full; undefined while older rows are being copied. */
  async coveredFromMs(): Promise<number | undefined> {
    const { rows } = await sql<{ day: string }>`
      select covered_from::text as day from record_sinks where not is_filling`.execute(this.#store.writer);
    return rows[0] && Date.parse(`${rows[0].day}T00:00:00Z`);
  }
}
