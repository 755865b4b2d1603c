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
import type { Store } from '../../store/postgres/store.ts';

const HOUR_MS = 3_600_000;
/** Longer spans are read from hourly sums, if the filters allow it. */
const MAX_COUNTED_MS = 2 * HOUR_MS;

type Where = RawBuilder<unknown>;

type ListedRow = {
  readonly request_id: string;
  readonly received_at: Date;
  readonly account_id: string;
  readonly key_id: string;
  readonly member_id: string | null;
  readonly asked_model: string | null;
  readonly model_id: string;
  readonly provider: string | null;
  readonly protocol: string;
  readonly operation: string | null;
  readonly stream: boolean | null;
  readonly lane: string | null;
  readonly outcome: string;
  readonly status: number;
  readonly refused: boolean;
  readonly attempts: number | null;
  readonly losses: number | null;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly cached_tokens: bigint | null;
  readonly cost_nano: bigint;
  readonly unpriced: boolean | null;
  readonly price_version: string | null;
  readonly estimated: boolean;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number;
};

const LISTED = sql`request_id, received_at, account_id, key_id, member_id, asked_model, model_id, provider, protocol, operation,
  stream, lane, outcome, status, refused, attempts, losses, input_tokens, output_tokens, cached_tokens, cost_nano, unpriced,
  price_version, estimated, first_byte_ms, duration_ms`;

const rowOf = (row: ListedRow): RecordRow => ({
  requestId: row.request_id,
  receivedAtMs: row.received_at.getTime(),
  accountId: row.account_id,
  keyId: row.key_id,
  memberId: row.member_id,
  askedModel: row.asked_model,
  model: row.model_id,
  provider: row.provider,
  protocol: row.protocol,
  operation: row.operation,
  stream: row.stream ?? false,
  lane: row.lane,
  outcome: row.outcome,
  status: row.status,
  refused: row.refused,
  attempts: row.attempts ?? 0,
  losses: row.losses ?? 0,
  inputTokens: Number(row.input_tokens),
  outputTokens: Number(row.output_tokens),
  cachedTokens: Number(row.cached_tokens ?? 0n),
  costNano: row.cost_nano,
  isUnpriced: row.unpriced === true || row.price_version === null,
  estimated: row.estimated,
  firstTokenMs: row.first_byte_ms,
  durationMs: row.duration_ms,
});

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
  return [
    ...(requestId === undefined ? [] : [sql`request_id = ${plainText(requestId)}`]),
    ...(memberId === undefined ? [] : [sql`member_id = ${plainText(memberId)}`]),
    ...(askedModel === undefined ? [] : [like(sql`asked_model`, askedModel)]),
    ...(protocol === undefined ? [] : [sql`protocol = ${plainText(protocol)}`]),
    ...(operation === undefined ? [] : [sql`operation = ${plainText(operation)}`]),
    // Without 'ok' this implies the condition of the index of failures. Stated twice, the planner would consider
    // failures far rarer than they are, and sort them all.
    ...(outcomes === undefined ? [] : [sql`outcome = any(${[...outcomes]}::text[])`]),
    ...(status === undefined ? [] : [sql`status between ${status[0]} and ${status[1]}`]),
    ...(minCostNano === undefined ? [] : [sql`cost_nano >= ${minCostNano}`]),
    ...(minDurationMs === undefined ? [] : [sql`duration_ms >= ${minDurationMs}`]),
  ];
}

const allOf = (conditions: readonly Where[]): Where => sql.join([...conditions], sql` and `);

const isAnyOf = (outcomeClass: OutcomeClass): Where =>
  sql`outcome = any(${[...OUTCOMES_BY_CLASS[outcomeClass]]}::text[])`;

export class RecordRows implements RecordReader {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  list({ filter, order, after, limit }: RecordPage): Promise<readonly RecordRow[]> {
    const [direction, beyond] = order === 'newest' ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`];
    const place =
      after && sql`(received_at, request_id) ${beyond} (${at(after.receivedAtMs)}, ${plainText(after.requestId)})`;
    const where = allOf([...spanOf(filter), ...commonWhere(filter), ...ownWhere(filter), ...(place ? [place] : [])]);
    return this.#store.within(filter.account, async (db) => {
      const { rows } = await sql<ListedRow>`
        select ${LISTED} from usage_events where ${where}
        order by received_at ${direction}, request_id ${direction} limit ${limit}`.execute(db);
      return rows.map(rowOf);
    });
  }

  one(account: string, requestId: string, [first, last]: readonly [string, string]): Promise<UsageEvent | undefined> {
    return this.#store.within(account, async (db) => {
      const { rows } = await sql<ListedRow & { readonly details: UsageDetails }>`
        select ${LISTED}, details from usage_events
        where request_id = ${requestId} and day between ${first}::date and ${last}::date`.execute(db);
      return rows[0] && eventOf(rows[0]);
    });
  }

  histogram(question: HistogramQuestion): Promise<readonly HistogramBar[]> {
    const { filter, bucketMs } = question;
    const isSummable = bucketMs % HOUR_MS === 0 && ownWhere(filter).length === 0;
    if (!isSummable || filter.untilMs - filter.fromMs <= MAX_COUNTED_MS) return this.#counted(question);
    return commonWhere(filter).length === 0 ? this.#totals(question) : this.#summed(question);
  }

  /** Counts single rows. */
  #counted({ filter, bucketMs }: HistogramQuestion): Promise<readonly HistogramBar[]> {
    const where = allOf([...spanOf(filter), ...commonWhere(filter), ...ownWhere(filter)]);
    return this.#bars(
      filter.account,
      sql`
      select date_bin(${bucketMs} * interval '1 millisecond', received_at, 'epoch') as at,
        count(*) filter (where ${isAnyOf('ok')}) as ok, count(*) filter (where ${isAnyOf('caller')}) as caller,
        count(*) filter (where ${isAnyOf('upstream')}) as upstream, count(*) filter (where ${isAnyOf('gateway')}) as gateway
      from usage_events where ${where} group by 1 order by 1`,
    );
  }

  #summed({ filter, bucketMs }: HistogramQuestion): Promise<readonly HistogramBar[]> {
    const where = allOf([sql`hour >= ${at(filter.fromMs)}`, sql`hour < ${at(filter.untilMs)}`, ...commonWhere(filter)]);
    return this.#bars(
      filter.account,
      sql`
      select date_bin(${bucketMs} * interval '1 millisecond', hour, 'epoch') as at, sum(requests - failed)::bigint as ok,
        sum(caller_faults)::bigint as caller, sum(upstream_faults)::bigint as upstream,
        sum(gateway_faults)::bigint as gateway
      from usage_hourly where ${where} group by 1 order by 1`,
    );
  }

  /** Without filters: from the totals, a table with few rows. */
  #totals({ filter, bucketMs }: HistogramQuestion): Promise<readonly HistogramBar[]> {
    const span = allOf([sql`hour >= ${at(filter.fromMs)}`, sql`hour < ${at(filter.untilMs)}`]);
    return this.#bars(
      filter.account,
      sql`
      select date_bin(${bucketMs} * interval '1 millisecond', hour, 'epoch') as at, sum(ok)::bigint as ok,
        sum(caller_faults)::bigint as caller, sum(upstream_faults)::bigint as upstream,
        sum(gateway_faults)::bigint as gateway
      from request_totals where ${span} group by 1 order by 1`,
    );
  }

  #bars(account: string, query: RawBuilder<unknown>): Promise<readonly HistogramBar[]> {
    return this.#store.within(account, async (db) => {
      const { rows } = await (query as RawBuilder<{ readonly at: Date } & Record<OutcomeClass, bigint>>).execute(db);
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
      const { rows } = await sql<ListedRow & { readonly stored_at: Date }>`
        select ${LISTED}, stored_at from usage_events
        where stored_at > ${since} and day >= (now() at time zone 'UTC')::date - 2
        order by stored_at limit ${limit}`.execute(db);
      return rows.map((row) => ({ ...rowOf(row), storedAtMs: row.stored_at.getTime() }));
    });
  }
}

const eventOf = (row: ListedRow & { readonly details: UsageDetails }): UsageEvent => ({
  requestId: row.request_id,
  accountId: row.account_id,
  keyId: row.key_id,
  memberId: row.member_id ?? undefined,
  askedModel: row.asked_model ?? undefined,
  operation: (row.operation ?? undefined) as UsageEvent['operation'],
  refused: row.refused ? true : undefined,
  modelId: row.model_id,
  provider: row.provider,
  protocol: row.protocol,
  outcome: row.outcome as UsageEvent['outcome'],
  status: row.status,
  receivedAtMs: row.received_at.getTime(),
  durationMs: row.duration_ms,
  firstByteMs: row.first_byte_ms,
  inputTokens: Number(row.input_tokens),
  outputTokens: Number(row.output_tokens),
  costNano: row.cost_nano.toString(),
  estimated: row.estimated,
  priceVersion: row.price_version,
  details: row.details,
});
