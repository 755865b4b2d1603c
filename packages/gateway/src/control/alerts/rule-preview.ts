/** How often a rule would have raised an alert in the last week, from what is stored. */
import { sql } from 'kysely';
import { formatNanoUsd } from '../../kernel/usd.ts';
import type { Db } from '../../store/postgres/store.ts';
import type { AlertKind } from '../webhooks/events.ts';
import { errorPercentOf, hasHighErrors, isSlow, lastsDays, type SpendHour } from './alert.ts';
import type { AlertSettings } from './alert-watch.ts';
import type { AlertPreview } from './contract.ts';
import { accountHours, creditRunways, providerHours, WEEK_DAYS } from './usage-conditions.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = WEEK_DAYS * DAY_MS;
const NANO_PER_USD = 1e9;
const MAX_EXAMPLES = 5;

type Case = { readonly at: Date; readonly subject: string; readonly value: string };
type Hour = Pick<SpendHour, 'accountId' | 'hour' | 'costNano'>;

/** Hours from `fromMs` on that cost much more than any of the week before, one a day for each account. */
export function anomaliesIn(
  hours: readonly Hour[],
  { factor, minUsd }: AlertSettings['spendAnomaly'],
  fromMs: number,
): readonly Hour[] {
  const found = new Map<string, Hour>();
  const byAccount = new Map<string, Hour[]>();
  for (const hour of hours) byAccount.set(hour.accountId, [...(byAccount.get(hour.accountId) ?? []), hour]);
  for (const some of byAccount.values())
    for (const one of some) {
      const atMs = one.hour.getTime();
      if (atMs < fromMs || Number(one.costNano) < minUsd * NANO_PER_USD) continue;
      const before = some.filter(({ hour }) => hour.getTime() < atMs && hour.getTime() >= atMs - WEEK_MS);
      const isNew = !before.some(({ hour }) => hour.getTime() <= atMs - DAY_MS);
      const highest = before.reduce((most, { costNano }) => (costNano > most ? costNano : most), 0n);
      const key = `${one.accountId} ${one.hour.toISOString().slice(0, 10)}`;
      if (!isNew && Number(one.costNano) > Number(highest) * factor && !found.has(key)) found.set(key, one);
    }
  return [...found.values()];
}

/** Windows of budgets that began in the last week. */
async function budgetCases(db: Db, percents: readonly number[]): Promise<readonly Case[]> {
  const { rows } = await sql<Case>`
    select to_timestamp(greatest(p.start_ms, 0) / 1000.0) as at, b.account_id || ' ' || b.scope || ' ' || b.span as subject,
      percent || ' %' as value
    from ledger_budgets b
    join ledger_purses p on p.account_id = b.account_id and p.scope = b.scope and p.span = b.span
    cross join unnest(${percents}::integer[]) percent
    where b.most > 0 and p.posted::numeric * 100 >= b.most::numeric * percent
      and p.start_ms >= (extract(epoch from date_trunc('day', now(), 'UTC') - make_interval(days => ${WEEK_DAYS})) * 1000)::bigint
    order by at`.execute(db);
  return rows;
}

async function expiryCases(db: Db, days: readonly number[]): Promise<readonly Case[]> {
  const { rows } = await sql<Case>`
    select expires_at - make_interval(days => notice) as at, account_id || ' ' || name as subject, notice || ' d' as value
    from keys cross join unnest(${days}::integer[]) notice
    where revoked_at is null and expires_at - make_interval(days => notice) between now() - make_interval(days => ${WEEK_DAYS}) and now()
    order by at`.execute(db);
  return rows;
}

/** Undefined: not known for this kind. */
async function casesOf(
  db: Db,
  kind: AlertKind,
  settings: AlertSettings,
  nowMs: number,
): Promise<readonly Case[] | undefined> {
  const { budgetPercents, keyExpiryDays, spendAnomaly, creditDays, providerErrors, slowFirstToken } = settings;
  const fromMs = nowMs - WEEK_MS;
  switch (kind) {
    case 'budget.reached':
      return budgetCases(db, budgetPercents);
    case 'key.expiring':
      return expiryCases(db, keyExpiryDays);
    case 'spend.anomaly': {
      const hours = await accountHours(db, fromMs - WEEK_MS, nowMs);
      return anomaliesIn(hours, spendAnomaly, fromMs).map(({ accountId, hour, costNano }) => ({
        at: hour,
        subject: accountId,
        value: `${formatNanoUsd(costNano)} USD`,
      }));
    }
    case 'credit.low':
      return creditDays === undefined
        ? []
        : (await creditRunways(db, nowMs))
            .filter((runway) => lastsDays(runway) < creditDays)
            .map((runway) => ({
              at: new Date(nowMs),
              subject: runway.accountId,
              value: `${lastsDays(runway)} d`,
            }));
    case 'errors.high':
      return providerErrors === undefined
        ? []
        : (await providerHours(db, fromMs, nowMs))
            .filter((hour) => hasHighErrors(hour, providerErrors))
            .map((hour) => ({ at: hour.at, subject: hour.provider, value: `${errorPercentOf(hour)} %` }));
    case 'latency.high':
      return slowFirstToken === undefined
        ? []
        : (await providerHours(db, fromMs, nowMs))
            .filter((hour) => isSlow(hour, slowFirstToken))
            .map(({ at, provider, firstTokenMs }) => ({ at, subject: provider, value: `${firstTokenMs} ms` }));
    default:
      return undefined;
  }
}

/** In a transaction that sees all accounts. */
export async function previewRule(
  db: Db,
  kind: AlertKind,
  settings: AlertSettings,
  nowMs: number,
): Promise<AlertPreview> {
  const cases = await casesOf(db, kind, settings, nowMs);
  const latest = [...(cases ?? [])].sort((one, other) => other.at.getTime() - one.at.getTime());
  return {
    times: cases?.length ?? null,
    from: new Date(kind === 'credit.low' ? nowMs : nowMs - WEEK_MS).toISOString(),
    examples: latest.slice(0, MAX_EXAMPLES).map((each) => ({ ...each, at: each.at.toISOString() })),
  };
}
