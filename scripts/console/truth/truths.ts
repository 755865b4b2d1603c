/** What `console:truth` holds views against: SQL over single rows, which shares no line with the gateway's. */
import type { Client } from 'pg';

export type Asked = { readonly fromMs: number; readonly untilMs: number; readonly account?: string | undefined };

const FAILED = `e.outcome <> 'ok'`;

/** Blame is written out here: the table of the gateway is one of the things to be checked. */
const CALLER = `e.outcome in ('cancelled', 'over-rate', 'over-budget', 'unknown-model')`;
const UPSTREAM = `e.outcome in ('upstream-timeout', 'upstream-broken', 'upstream-overloaded')`;

export type Figures = {
  readonly recorded: number;
  readonly errors: number;
  readonly caller: number;
  readonly upstream: number;
  readonly nano: string;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly unpriced: number;
  /** The exact quantiles, not those of a histogram. */
  readonly p50: number | null;
  readonly p95: number | null;
};

const FIGURES = `count(*)::int as recorded, count(*) filter (where ${FAILED})::int as errors,
  count(*) filter (where ${CALLER})::int as caller, count(*) filter (where ${UPSTREAM})::int as upstream,
  coalesce(sum(e.cost_nano), 0)::text as nano, coalesce(sum(e.input_tokens), 0)::int as input,
  coalesce(sum(e.output_tokens), 0)::int as output, coalesce(sum(e.cached_tokens), 0)::int as cached,
  (count(*) filter (where jsonb_array_length(e.details -> 'unpriced') > 0))::int as unpriced,
  percentile_disc(0.5) within group (order by e.first_byte_ms) filter (where e.first_byte_ms is not null) as p50,
  percentile_disc(0.95) within group (order by e.first_byte_ms) filter (where e.first_byte_ms is not null) as p95`;

const where = `e.received_at >= $1 and e.received_at < $2 and ($3::text is null or e.account_id = $3)`;
const parameters = ({ fromMs, untilMs, account }: Asked) => [new Date(fromMs), new Date(untilMs), account ?? null];

const NAMES: Readonly<Record<string, string>> = {
  account: 'e.account_id',
  key: 'e.key_id',
  member: `coalesce(e.member_id, '')`,
  model: 'e.model_id',
  provider: `coalesce(e.provider, '')`,
  outcome: 'e.outcome',
  protocol: 'e.protocol',
  lane: `coalesce(e.lane, '')`,
};

/** By the values of these, joined by spaces; `bucket` of a zone comes first. */
export async function figuresBy(
  client: Client,
  asked: Asked,
  by: readonly string[],
  bucket?: { readonly unit: string; readonly zone: string },
): Promise<ReadonlyMap<string, Figures>> {
  const start =
    bucket &&
    `to_char(date_trunc('${bucket.unit}', e.received_at at time zone '${bucket.zone}') at time zone '${bucket.zone}' at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.000"Z"')`;
  const parts = [...(start === undefined ? [] : [start]), ...by.map((name) => NAMES[name])];
  const group = parts.length === 0 ? `''` : parts.join(` || ' ' || `);
  const { rows } = await client.query(
    `select ${group} as "group", ${FIGURES} from usage_events e where ${where} ${parts.length === 0 ? '' : 'group by 1'}`,
    parameters(asked),
  );
  return new Map(rows.map(({ group: name, ...figures }) => [name as string, figures as Figures]));
}

export async function countBy(client: Client, asked: Asked, seconds: number) {
  const { rows } = await client.query(
    `select (floor(extract(epoch from e.received_at) / ${seconds}) * ${seconds * 1000})::float8 as at, count(*)::int as recorded,
      count(*) filter (where ${FAILED})::int as errors from usage_events e where ${where} group by 1`,
    parameters(asked),
  );
  return new Map(rows.map(({ at, ...counts }) => [Number(at), counts as { recorded: number; errors: number }]));
}

export type Tries = {
  readonly ok: number;
  readonly failed: number;
  readonly p95: number | null;
  readonly isFailing: boolean;
};

/** By provider, or by its quarter of an hour, from the attempts in the rows themselves. */
export async function triesBy(client: Client, fromMs: number, isByCell: boolean): Promise<ReadonlyMap<string, Tries>> {
  const { rows } = await client.query(
    `with tries as (
      select t.one ->> 'provider' as provider,
        extract(epoch from e.received_at) * 1000 + (t.one ->> 'endMs')::float8 as ended,
        case when t.one ->> 'fault' is not null then t.one ->> 'fault' when t.one -> 'heard' is not null then e.outcome else 'ok' end as how,
        (t.one ->> 'firstContentMs')::float8 - (t.one ->> 'startMs')::float8 as first
      from usage_events e cross join lateral jsonb_array_elements(e.details -> 'attempts') as t (one)
      where coalesce(t.one ->> 'hedge', '') <> 'lost')
    select provider ${isByCell ? `|| ' ' || (floor(ended / 900000) * 900000)::bigint` : ''} as name,
      count(*) filter (where how = 'ok')::int as ok, count(*) filter (where how like 'upstream-%')::int as failed,
      percentile_disc(0.95) within group (order by first) filter (where how = 'ok') as p95,
      coalesce(max(ended) filter (where how like 'upstream-%') > coalesce(max(ended) filter (where how = 'ok'), 0), false) as "isFailing"
    from tries where floor(ended / 900000) * 900000 >= $1 group by 1`,
    [fromMs],
  );
  return new Map(rows.map(({ name, ...tries }) => [name as string, tries as Tries]));
}

export async function namesOf(client: Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query(`select id, name from keys union all select id, name from accounts`);
  return new Map(rows.map(({ id, name }) => [id as string, name as string]));
}
