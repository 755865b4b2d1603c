/**
 * The windows of templates, worked out three times: by SQL, by the reference ledger (Intl) and by the judge (Temporal). Every window of
 * three years, at its edges; at night every three hours of days.
 */
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TemplateSpan, WindowRule } from '../../packages/gateway/src/money/ledger/core/ledger-state.ts';
import { type Window, windowAround } from '../ledger-model/judge.ts';
import { templateWindow } from '../ledger-model/reference/windows.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { NIGHTLY } from '../support/nightly.ts';

const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'];
/** Clocks are set forward at midnight, or back over it. */
const AT_MIDNIGHT = ['America/Santiago', 'America/Havana', 'Africa/Cairo'];
const HALF_HOUR_MS = 1_800_000;
const [FROM, UNTIL] = [Date.UTC(2025, 0, 1), Date.UTC(2028, 0, 1)];

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await freshDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const RULES: readonly (readonly [TemplateSpan, number, number])[] = [
  ['day', 1, 1],
  ['week', 1, 1],
  ['week', 7, 1],
  ['month', 1, 1],
  ['month', 1, 15],
  ['month', 1, 31],
];

type Judged = { readonly at: number; readonly window: Window };

/** Moments of each window in turn: its edges from within and one between, or every three hours. */
function judgedMoments(span: TemplateSpan, rule: WindowRule): readonly Judged[] {
  const moments: Judged[] = [];
  for (let at = FROM; at < UNTIL; ) {
    const window = windowAround(span, rule, at);
    const { startMs, endMs } = window;
    for (const within of [startMs, endMs - HALF_HOUR_MS, endMs - 1]) moments.push({ at: within, window });
    for (let within = startMs; NIGHTLY && span === 'day' && within < endMs; within += 6 * HALF_HOUR_MS)
      moments.push({ at: within, window });
    at = endMs;
  }
  return moments;
}

const endsInSql = async (
  span: TemplateSpan,
  rule: WindowRule,
  moments: readonly Judged[],
): Promise<readonly Window[]> => {
  const { rows } = await client.query<Window>(
    `select w.start_ms::float8 as "startMs", w.end_ms::float8 as "endMs"
    from unnest($1::bigint[]) with ordinality as moments (at, place)
    cross join lateral ledger_window($2, $3, $4, $5, at) w order by place`,
    [moments.map(({ at }) => at), span, rule.timeZone, rule.weekStartsOn, rule.anchorDay],
  );
  return rows;
};

test.each(ZONES)(
  'windows of three years in %s are the same by SQL, by the reference and by Temporal',
  async (timeZone) => {
    const differences: unknown[] = [];
    let compared = 0;
    for (const [span, weekStartsOn, anchorDay] of RULES) {
      const rule = { timeZone, weekStartsOn, anchorDay };
      const moments = judgedMoments(span, rule);
      const inSql = await endsInSql(span, rule, moments);
      for (const [index, { at, window }] of moments.entries()) {
        compared++;
        for (const found of [inSql[index]!, templateWindow(span, rule, at)])
          if (found.startMs !== window.startMs || found.endMs !== window.endMs)
            differences.push({ at: new Date(at), span, rule, found, window });
      }
    }
    expect(differences.slice(0, 3)).toEqual([]);
    expect(compared).toBeGreaterThan(4_000);
  },
  NIGHTLY ? 600_000 : 60_000,
);

test.each(AT_MIDNIGHT)('a day in %s starts where clocks change at midnight', async (timeZone) => {
  const rule = { timeZone, weekStartsOn: 1, anchorDay: 1 };
  const moments = judgedMoments('day', rule).filter(
    ({ window }) => window.endMs - window.startMs !== 48 * HALF_HOUR_MS,
  );
  expect(moments.length).toBeGreaterThan(10);
  const inSql = await endsInSql('day', rule, moments);
  expect(inSql).toEqual(moments.map(({ window }) => window));
  expect(moments.map(({ at }) => templateWindow('day', rule, at))).toEqual(inSql);
});

test.each([
  [
    'a day is 86,400 seconds',
    'end_ms := ledger_midnight_ms(next_day, time_zone)',
    'end_ms := start_ms + 86400000::bigint * (next_day - first_day)',
  ],
  [
    'another time zone',
    "at time zone 'UTC' at time zone time_zone)::date",
    "at time zone 'UTC' at time zone 'UTC')::date",
  ],
  ['a month has 30 days', "ledger_anchor((month + interval '1 month')::date, anchor_day)", 'first_day + 30'],
])('a planted mistake is found: %s', async (_, from, to) => {
  const { rows } = await client.query(`select pg_get_functiondef('ledger_window'::regproc) as text`);
  const text: string = rows[0].text;
  expect(text.split(from)).toHaveLength(2);
  await client.query('begin');
  try {
    await client.query(text.replace(from, () => to));
    const rule = { timeZone: 'Europe/Berlin', weekStartsOn: 1, anchorDay: 1 };
    let different = 0;
    for (const span of ['day', 'month'] as const) {
      const moments = judgedMoments(span, rule);
      const found = await endsInSql(span, rule, moments);
      different += found.filter(({ endMs }, index) => endMs !== moments[index]!.window.endMs).length;
    }
    expect(different).toBeGreaterThan(0);
  } finally {
    await client.query('rollback');
  }
});
