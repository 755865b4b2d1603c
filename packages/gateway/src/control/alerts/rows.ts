/** Alerts in the database: raised once per kind, subject and window, with all their messages, in one transaction. */
import { randomBytes } from 'node:crypto';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { scopeName } from '../../store/postgres/overview-rows.ts';
import { type Db, OPERATOR, type Store } from '../../store/postgres/store.ts';
import { messageIdOf } from '../webhooks/message.ts';
import { writeToWebhooks } from '../webhooks/rows.ts';
import type { Alert, BudgetUse, CreditRunway, ExpiringKey, ProviderHour, SpendHour } from './alert.ts';
import type { AlertRows } from './alert-watch.ts';
import { alertBody, bodyFor, type RaisedAlert } from './bodies.ts';
import type { AlertsTable } from './tables.ts';
import { creditRunways, providerHours } from './usage-conditions.ts';

export type AlertRow = Selectable<AlertsTable>;

const ID_BYTES = 16;
const HOUR_MS = 3_600_000;
/** After this long without a further failure, an outage is over, or no traffic goes there any more. */
const QUIET_HOURS = 1;
const DAYS_BEFORE = 7;
const LEAST_HISTORY_HOURS = 24;

export class StoredAlerts implements AlertRows {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  raise(alert: Alert): Promise<boolean> {
    return this.#store.within(OPERATOR, (db) => raiseAlert(db, alert));
  }

  claimRound(everyMs: number): Promise<boolean> {
    return this.#store.within(OPERATOR, async (db) => {
      const { rows } = await sql`
        update alert_rounds set checked_at = now()
        where checked_at <= now() - make_interval(secs => ${everyMs / 1000}) returning 1`.execute(db);
      return rows.length > 0;
    });
  }

  budgetsFrom(percent: number): Promise<readonly BudgetUse[]> {
    return this.#budgets(
      sql`spent::numeric * 100 >= most::numeric * coalesce((select min(soft) from unnest(soft_percents) soft), ${percent}::integer)`,
      sql`null`,
    );
  }

  async tightestBudget(accountId: string, scope: string): Promise<BudgetUse | undefined> {
    // A group's budget may be that of any account above.
    const owners = scope === 'group' ? sql`(select ledger_line(${accountId}))::text[]` : sql`array[${accountId}]`;
    const [tightest] = await this.#budgets(sql`account_id = any(${owners}) and scope = ${scope}`, owners);
    return tightest;
  }

  async #budgets(which: RawBuilder<unknown>, owners: RawBuilder<unknown>): Promise<readonly BudgetUse[]> {
    const { rows } = await this.#store.within(OPERATOR, (db) =>
      sql<Omit<BudgetUse, 'startMs'> & { readonly startMs: bigint }>`
        select account_id as "accountId", scope, span, most as "limitNano", spent as "spentNano", start_ms as "startMs",
          soft_percents as "softPercents", on_limit as "onLimit", ${scopeName('budgets.account_id', 'budgets.scope')} as name
        from (
          select b.account_id, b.scope, b.span, b.most, p.posted as spent, p.pending, p.start_ms, '{}'::integer[] as soft_percents,
            null as on_limit
          from ledger_budgets b
          join ledger_purses p on p.account_id = b.account_id and p.scope = b.scope and p.span = b.span
            and p.start_ms = case b.span when 'total' then 0
              else (extract(epoch from date_trunc(b.span, now(), 'UTC')) * 1000)::bigint end
          union all
          select t.account_id, t.scope, t.span, t.most, t.posted, t.pending, t.start_ms, t.soft_percents,
            case when p.on_limit_ms is not null then (ledger_on_limit(t.account_id, t.scope, t.span)).model end
          from ledger_template_balances(${owners}::text[], (extract(epoch from now()) * 1000)::bigint) t
          join ledger_purses p on p.account_id = t.account_id and p.scope = t.scope and p.span = t.span
            and p.start_ms = t.start_ms
        ) budgets
        where most > 0 and ${which}
        order by most - spent - pending`.execute(db),
    );
    return rows.map((row) => ({ ...row, startMs: Number(row.startMs) }));
  }

  /** The current and the previous hour, of accounts that have been spending for a day. */
  async anomalies(factor: number, minNano: bigint): Promise<readonly SpendHour[]> {
    const { rows } = await this.#store.within(OPERATOR, (db) =>
      sql<SpendHour>`
        with lately as materialized (
          select account_id, hour, sum(cost_nano)::bigint as cost from usage_hourly
          where hour >= date_trunc('hour', now(), 'UTC') - interval '1 hour'
          group by account_id, hour having sum(cost_nano) >= ${minNano}
        )
        select l.account_id as "accountId", l.hour, l.cost as "costNano", before.highest as "beforeNano"
        from lately l
        cross join lateral (
          select max(cost)::bigint as highest, min(hour) as since from (
            select u.hour, sum(u.cost_nano) as cost from usage_hourly u
            where u.account_id = l.account_id and u.hour < l.hour
              and u.hour >= l.hour - make_interval(days => ${DAYS_BEFORE})
            group by u.hour) hours
        ) before
        where before.since <= l.hour - make_interval(hours => ${LEAST_HISTORY_HOURS})
          and l.cost > before.highest * ${factor}::numeric
        order by l.account_id, l.hour`.execute(db),
    );
    return rows;
  }

  providerHours(): Promise<readonly ProviderHour[]> {
    return this.#store.reading(OPERATOR, (db) => providerHours(db, Date.now() - HOUR_MS, Date.now()));
  }

  creditRunways(): Promise<readonly CreditRunway[]> {
    return this.#store.reading(OPERATOR, (db) => creditRunways(db, Date.now()));
  }

  async keysExpiring(withinDays: number): Promise<readonly ExpiringKey[]> {
    const { rows } = await this.#store.within(OPERATOR, (db) =>
      sql<ExpiringKey>`
        select account_id as "accountId", id as "keyId", name, expires_at as "expiresAt" from keys
        where revoked_at is null and expires_at > now() and expires_at <= now() + make_interval(days => ${withinDays})
        order by expires_at`.execute(db),
    );
    return rows;
  }

  async tidy(keepDays: number): Promise<void> {
    await this.#store.within(OPERATOR, async (db) => {
      await sql`
        update alerts set resolved_at = now() where kind = 'provider.out' and resolved_at is null
          and last_seen_at < now() - make_interval(hours => ${QUIET_HOURS})`.execute(db);
      await sql`delete from alerts where raised_at < now() - make_interval(days => ${keepDays})`.execute(db);
    });
  }
}

/** For alerts about a change: in its transaction. */
export async function raiseAlert(db: Db, alert: Alert): Promise<boolean> {
  const raise = { 'provider.out': raiseOutage, 'provider.back': endOutage }[alert.kind as string] ?? insertAlert;
  const raised = await raise(db, alert);
  if (raised === undefined) return false;
  await writeMessages(db, { ...alert, id: raised.id, raisedAtMs: raised.raised_at.getTime() });
  return true;
}

type Inserted = Pick<AlertRow, 'id' | 'raised_at'>;

/** Undefined if the alert is not new. */
function insertAlert(db: Db, alert: Alert): Promise<Inserted | undefined> {
  return db
    .insertInto('alerts')
    .values({
      id: `alr_${randomBytes(ID_BYTES).toString('hex')}`,
      kind: alert.kind,
      account_id: alert.accountId ?? null,
      subject: alert.subject,
      window_key: alert.window,
      title: alert.title,
      detail: JSON.stringify(alert.facts),
      resolved_at: alert.kind === 'provider.back' ? sql<Date>`now()` : null,
    })
    .onConflict((conflict) => conflict.columns(['kind', 'subject', 'window_key']).doNothing())
    .returning(['id', 'raised_at'])
    .executeTakeFirst();
}

/** Serializes outages and recoveries of one provider, whichever node reports them. */
const lockProvider = (db: Db, provider: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`trivium alert ${provider}`}, 0))`.execute(db);

async function raiseOutage(db: Db, alert: Alert): Promise<Inserted | undefined> {
  await lockProvider(db, alert.subject);
  const { numUpdatedRows } = await db
    .updateTable('alerts')
    .set({ last_seen_at: sql<Date>`now()` })
    .where('kind', '=', 'provider.out')
    .where('subject', '=', alert.subject)
    .where('resolved_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n ? undefined : insertAlert(db, alert);
}

async function endOutage(db: Db, alert: Alert): Promise<Inserted | undefined> {
  await lockProvider(db, alert.subject);
  const ended = await db
    .updateTable('alerts')
    .set({ resolved_at: sql<Date>`now()` })
    .where('kind', '=', 'provider.out')
    .where('subject', '=', alert.subject)
    .where('resolved_at', 'is', null)
    // By the database's clock, which also set `raised_at`.
    .returning(['window_key', sql<number>`round(extract(epoch from now() - raised_at) / 60)::int`.as('outForMinutes')])
    .executeTakeFirst();
  if (ended === undefined) return undefined;
  const { window_key: window, outForMinutes } = ended;
  return insertAlert(db, { ...alert, window, facts: { ...alert.facts, outForMinutes } });
}

/** One message for each operator destination that subscribes to this kind, and for each such webhook of the account. */
async function writeMessages(db: Db, alert: RaisedAlert): Promise<void> {
  const wants = sql<boolean>`events is null or ${alert.kind} = any(events)`;
  const destinations = await db
    .selectFrom('alert_destinations')
    .select(['id', 'kind'])
    .where('gone_at', 'is', null)
    .where(wants)
    .execute();
  if (destinations.length > 0)
    await db
      .insertInto('alert_messages')
      .values(
        destinations.map(({ id, kind }) => ({
          id: messageIdOf(id, alert.id),
          destination_id: id,
          event: alert.kind,
          body: bodyFor(kind, alert),
        })),
      )
      .execute();
  const { accountId } = alert;
  if (accountId === undefined) return;
  await writeToWebhooks(db, {
    accountId,
    event: alert.kind,
    subject: [alert.id],
    body: alertBody(alert),
  });
}

export type AlertFilter = {
  readonly accountId?: string;
  readonly kind?: AlertRow['kind'];
  readonly isOpen?: boolean;
};

/** Newest first; `before` is the last id of the previous page. */
export const listAlerts = (
  db: Db,
  { accountId, kind, isOpen }: AlertFilter,
  before: string | undefined,
  limit: number,
): Promise<AlertRow[]> => {
  let query = db.selectFrom('alerts').selectAll().orderBy('raised_at', 'desc').orderBy('id', 'desc').limit(limit);
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  if (kind !== undefined) query = query.where('kind', '=', kind);
  if (isOpen === true) query = query.where('resolved_at', 'is', null).where('acknowledged_at', 'is', null);
  if (before !== undefined)
    query = query.where(
      sql<boolean>`(raised_at, id) < (select a.raised_at, a.id from alerts a where a.id = ${before})`,
    );
  return query.execute();
};

const MAX_COUNTED = 100;

/** Of an account, or with null of all. */
export const countOpenAlerts = async (db: Db, accountId: string | null): Promise<number> => {
  const filter = { ...(accountId !== null && { accountId }), isOpen: true };
  return (await listAlerts(db, filter, undefined, MAX_COUNTED)).length;
};

export const acknowledgeAlert = (db: Db, id: string, by: string): Promise<AlertRow | undefined> =>
  db
    .updateTable('alerts')
    .set({ acknowledged_at: sql<Date>`coalesce(acknowledged_at, now())`, acknowledged_by: by })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
