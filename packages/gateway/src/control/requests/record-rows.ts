/** Request records in PostgreSQL: the usage rows, read by page, one by one, as a histogram and live. */
import { type RawBuilder, sql } from 'kysely';
import type { UsageDetails, UsageEvent } from '../../money/usage/event.ts';
import { OUTCOMES_BY_CLASS, type OutcomeClass } from '../../money/usage/outcome-class.ts';
import type {
  HistogramBar,
  HistogramQuestion,
  RecordFilter,
  RecordPage,
  RecordReader,
  RecordRow,
} from '../../money/usage/record-query.ts';
import { dayOf } from '../../money/usage/request-stamp.ts';
import { exactSpan, isInSpans } from '../../store/postgres/exact-span.ts';
import type { Db, Store } from '../../store/postgres/store.ts';

const HOUR_MS = 3_600_000;
/** Longer spans are read from hourly sums, if the filters allow it. */
const MAX_COUNTED_MS = 2 * HOUR_MS;

type Where = RawBuilder<unknown>;

/** The members of a `RecordRow`. */
const LISTED = sql`request_id as "requestId", floor(extract(epoch from received_at) * 1000)::float8 as "receivedAtMs",
  account_id as "accountId", key_id as "keyId", member_id as "memberId", asked_model as "askedModel", model_id as model, provider,
  protocol, operation, coalesce(stream, false) as stream, lane, outcome, status, refused, coalesce(attempts, 0) as attempts,
  coalesce(losses, 0) as losses, input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens",
  coalesce(cached_tokens, 0)::float8 as "cachedTokens", cost_nano as "costNano",
  coalesce(unpriced, false) or price_version is null as "isUnpriced", estimated, first_byte_ms as "firstTokenMs",
  duration_ms as "durationMs"`;

const BILLED = sql`${LISTED}, price_version as "priceVersion", details`;

const at = (ms: number): RawBuilder<unknown> => sql`${new Date(ms).toISOString()}::timestamptz`;

/** Text that PostgreSQL cannot store is in no row. */
const plainText = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, '\ufffd');

const like = (column: RawBuilder<unknown>, wanted: string): Where =>
  wanted.endsWith('*')
    ? sql`starts_with(${column}, ${plainText(wanted.slice(0, -1))})`
    : sql`${column} = ${plainText(wanted)}`;

/** Names the days, so that PostgreSQL skips all other partitions. */
const spanOf = ({ fromMs, untilMs }: RecordFilter): Where[] => [
  sql`day between ${dayOf(fromMs)}::date and ${dayOf(untilMs)}::date`,
  sql`received_at >= ${at(fromMs)}`,
  sql`received_at < ${at(untilMs)}`,
];

/** Conditions on columns that rows and hourly sums share. */
function commonWhere({ account, keyId, model, provider }: RecordFilter): Where[] {
  return [
    ...(account === '*' ? [] : [sql`account_id = ${plainText(account)}`]),
    ...(keyId === undefined ? [] : [sql`key_id = ${plainText(keyId)}`]),
    ...(model === undefined ? [] : [like(sql`model_id`, model)]),
    ...(provider === undefined ? [] : [sql`provider = ${plainText(provider)}`]),
  ];
}

function ownWhere(filter: RecordFilter): Where[] {
  const { requestId, memberId, askedModel, protocol, operation, outcomes, status, minCostNano, minDurationMs } = filter;
  const { conversation } = filter;
  return [
    ...(requestId === undefined ? [] : [sql`request_id = ${plainText(requestId)}`]),
    ...(memberId === undefined ? [] : [sql`member_id = ${plainText(memberId)}`]),
    ...(askedModel === undefined ? [] : [like(sql`asked_model`, askedModel)]),
    ...(protocol === undefined ? [] : [sql`protocol = ${plainText(protocol)}`]),
    ...(operation === undefined ? [] : [sql`operation = ${plainText(operation)}`]),
    // Without 'ok' this implies the condition of the index of failures. Stated twice, the planner would consider
    // failures far rarer than they are, and sort them all.
    ...(outcomes === undefined ? [] : [sql`outcome = any(${[...outcomes]}::text[])`]),
    ...(conversation === undefined ? [] : [sql`details ->> 'conversation' = ${plainText(conversation)}`]),
    ...(status === undefined ? [] : [sql`status between ${status[0]} and ${status[1]}`]),
    ...(minCostNano === undefined ? [] : [sql`cost_nano >= ${minCostNano}`]),
    ...(minDurationMs === undefined ? [] : [sql`duration_ms >= ${minDurationMs}`]),
  ];
}

const allOf = (conditions: readonly Where[]): Where => sql.join([...conditions], sql` and `);

const isAnyOf = (outcomeClass: OutcomeClass): Where =>
  sql`outcome = any(${[...OUTCOMES_BY_CLASS[outcomeClass]]}::text[])`;

const FAULTS = sql`caller_faults, upstream_faults, gateway_faults`;
const COUNTS = sql`count(*) filter (where ${isAnyOf('ok')}) as ok,
  count(*) filter (where ${isAnyOf('caller')}) as caller_faults,
  count(*) filter (where ${isAnyOf('upstream')}) as upstream_faults,
  count(*) filter (where ${isAnyOf('gateway')}) as gateway_faults`;

export class RecordRows implements RecordReader {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  list(page: RecordPage): Promise<readonly RecordRow[]> {
    return this.#page(LISTED, page);
  }

  /** The same with all details. */
  async events(page: RecordPage): Promise<readonly UsageEvent[]> {
    return (await this.#page<BilledRow>(BILLED, page)).map(eventOf);
  }

  #page<Row extends RecordRow>(
    columns: RawBuilder<unknown>,
    { filter, order, after, limit }: RecordPage,
  ): Promise<readonly Row[]> {
    const [direction, beyond] = order === 'newest' ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`];
    const place =
      after && sql`(received_at, request_id) ${beyond} (${at(after.receivedAtMs)}, ${plainText(after.requestId)})`;
    const where = allOf([...spanOf(filter), ...commonWhere(filter), ...ownWhere(filter), ...(place ? [place] : [])]);
    return this.#store.within(filter.account, async (db) => {
      const { rows } = await sql<Row>`
        select ${columns} from usage_events where ${where}
        order by received_at ${direction}, request_id ${direction} limit ${limit}`.execute(db);
      return rows;
    });
  }

  one(account: string, requestId: string, [first, last]: readonly [string, string]): Promise<UsageEvent | undefined> {
    return this.#store.within(account, async (db) => {
      const { rows } = await sql<BilledRow>`
        select ${BILLED} from usage_events
        where request_id = ${requestId} and day between ${first}::date and ${last}::date`.execute(db);
      return rows[0] && eventOf(rows[0]);
    });
  }

  histogram(question: HistogramQuestion): Promise<readonly HistogramBar[]> {
    const { filter, bucketMs } = question;
    const isSummable = bucketMs % HOUR_MS === 0 && ownWhere(filter).length === 0;
    if (!isSummable || filter.untilMs - filter.fromMs <= MAX_COUNTED_MS) return this.#counted(question);
    return this.#summed(question);
  }

  /** Counts single rows. */
  #counted({ filter, bucketMs }: HistogramQuestion): Promise<readonly HistogramBar[]> {
    const where = allOf([...spanOf(filter), ...commonWhere(filter), ...ownWhere(filter)]);
    return this.#bars(
      filter.account,
      async () => sql`
      select at, ok, caller_faults as caller, upstream_faults as upstream, gateway_faults as gateway from (
        select date_bin(${bucketMs} * interval '1 millisecond', received_at, 'epoch') as at, ${COUNTS}
        from usage_events where ${where} group by 1) as bars order by 1`,
    );
  }

  /** Whole hours from sums, the edges of the span from single rows. */
  #summed({ filter, bucketMs }: HistogramQuestion): Promise<readonly HistogramBar[]> {
    const common = commonWhere(filter);
    // Without filters: from the totals, a table with few rows.
    const sums =
      common.length === 0
        ? sql`select hour, ok, ${FAULTS} from request_totals`
        : sql`select hour, requests - failed as ok, ${FAULTS} from usage_hourly`;
    return this.#bars(filter.account, async (db) => {
      const { hours, edges } = await exactSpan(db, filter);
      const parts = [
        sql`${sums} where ${allOf([sql`hour >= ${at(hours.fromMs)}`, sql`hour < ${at(hours.untilMs)}`, ...common])}`,
        ...edges.map(
          (edge) => sql`
            select ${at(edge.fromMs)}, ${COUNTS} from usage_events
            where ${allOf([isInSpans([edge]), ...common])}`,
        ),
      ];
      return sql`
        select date_bin(${bucketMs} * interval '1 millisecond', hour, 'epoch') as at, sum(ok)::bigint as ok,
          sum(caller_faults)::bigint as caller, sum(upstream_faults)::bigint as upstream,
          sum(gateway_faults)::bigint as gateway
        from (${sql.join(parts, sql` union all `)}) as parts
        group by 1 having sum(ok + caller_faults + upstream_faults + gateway_faults) > 0 order by 1`;
    });
  }

  #bars(account: string, query: (db: Db) => Promise<RawBuilder<unknown>>): Promise<readonly HistogramBar[]> {
    return this.#store.reading(account, async (db) => {
      const { rows } = await (
        (await query(db)) as RawBuilder<{ readonly at: Date } & Record<OutcomeClass, bigint>>
      ).execute(db);
      return rows.map((row) => ({
        atMs: row.at.getTime(),
        ok: Number(row.ok),
        caller: Number(row.caller),
        upstream: Number(row.upstream),
        gateway: Number(row.gateway),
      }));
    });
  }

  storedAfter(afterMs: number | undefined, withinMs: number, limit: number) {
    const since = afterMs === undefined ? sql`now() - ${withinMs} * interval '1 millisecond'` : at(afterMs);
    return this.#store.within('*', async (db) => {
      const { rows } = await sql<RecordRow & { readonly stored_at: Date }>`
        select ${LISTED}, details ->> 'conversation' as conversation, stored_at from usage_events
        where stored_at > ${since} and day >= (now() at time zone 'UTC')::date - 2
        order by stored_at limit ${limit}`.execute(db);
      return rows.map(({ stored_at, ...row }) => ({ ...row, storedAtMs: stored_at.getTime() }));
    });
  }
}

type BilledRow = RecordRow & { readonly priceVersion: string | null; readonly details: UsageDetails };

const eventOf = (row: BilledRow): UsageEvent => ({
  requestId: row.requestId,
  accountId: row.accountId,
  keyId: row.keyId,
  memberId: row.memberId ?? undefined,
  askedModel: row.askedModel ?? undefined,
  operation: (row.operation ?? undefined) as UsageEvent['operation'],
  refused: row.refused ? true : undefined,
  modelId: row.model,
  provider: row.provider,
  protocol: row.protocol,
  outcome: row.outcome as UsageEvent['outcome'],
  status: row.status,
  receivedAtMs: row.receivedAtMs,
  durationMs: row.durationMs,
  firstByteMs: row.firstTokenMs,
  inputTokens: row.inputTokens,
  outputTokens: row.outputTokens,
  costNano: row.costNano.toString(),
  estimated: row.estimated,
  priceVersion: row.priceVersion,
  details: row.details,
});
