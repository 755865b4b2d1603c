/** Messages of webhooks and alert destinations as their owners see them: the state of each, and redelivery. */
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db } from '../../store/postgres/store.ts';
import type { AlertMessagesTable, WebhookMessagesTable } from '../../store/postgres/tables.ts';
import type { RowOf } from '../api/shown.ts';
import type { WebhookDelivery } from './contract.ts';
import type { Attempted, Delivery } from './dispatcher.ts';

export type DeliveryRow = RowOf<typeof WebhookDelivery, 'nextTryAt'> & { readonly due_at: Date };
export type DestinationDeliveryRow = Selectable<AlertMessagesTable>;

/** What an attempt changes in the row of its message. */
export const settledColumns = (delivery: Delivery, attempted: Attempted) => ({
  state: typeof delivery === 'object' ? ('due' as const) : delivery,
  last_status: 'status' in attempted ? attempted.status : null,
  last_problem: 'problem' in attempted ? attempted.problem : null,
  last_tried_at: sql<Date>`now()`,
  ...(typeof delivery === 'object' && {
    due_at: sql<Date>`now() + make_interval(secs => ${delivery.againInMs / 1000})`,
  }),
});

/** Notified of messages that are due at once. */
export const MESSAGES_CHANNEL = 'trivium_messages';

/** In how many ms the next message is due; undefined if none waits. By the database's clock, which also set the time. */
export async function nextDueInMs(db: Db, table: 'webhook_messages' | 'alert_messages'): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(due_at) - now()) * 1000)::float8 as ms from ${sql.table(table)}
    where state = 'due'`.execute(db);
  return rows[0]?.ms ?? undefined;
}

/** Due now, with a full set of attempts. */
const DUE_AGAIN = { state: 'due', tries: 0, due_at: sql<Date>`now()` } as const;

export const listWebhookDeliveries = (
  db: Db,
  accountId: string,
  webhookId: string,
  before: string | undefined,
  limit: number,
): Promise<DeliveryRow[]> => {
  let query = db
    .selectFrom('webhook_messages')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('webhook_id', '=', webhookId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (before !== undefined)
    query = query.where(
      sql<boolean>`(created_at, id) < (select m.created_at, m.id from webhook_messages m
        where m.account_id = ${accountId} and m.id = ${before})`,
    );
  return query.execute();
};

export const resendWebhookDelivery = (db: Db, accountId: string, id: string): Promise<DeliveryRow | undefined> =>
  db
    .updateTable('webhook_messages')
    .set(DUE_AGAIN)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

export const insertWebhookMessage = (db: Db, message: Insertable<WebhookMessagesTable>): Promise<DeliveryRow> =>
  db.insertInto('webhook_messages').values(message).returningAll().executeTakeFirstOrThrow();

export const listDestinationDeliveries = (
  db: Db,
  destinationId: string,
  before: string | undefined,
  limit: number,
): Promise<DestinationDeliveryRow[]> => {
  let query = db
    .selectFrom('alert_messages')
    .selectAll()
    .where('destination_id', '=', destinationId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (before !== undefined)
    query = query.where(
      sql<boolean>`(created_at, id) < (select m.created_at, m.id from alert_messages m where m.id = ${before})`,
    );
  return query.execute();
};

export const resendDestinationDelivery = (db: Db, id: string): Promise<DestinationDeliveryRow | undefined> =>
  db.updateTable('alert_messages').set(DUE_AGAIN).where('id', '=', id).returningAll().executeTakeFirst();

export const insertDestinationMessage = (
  db: Db,
  message: Pick<DestinationDeliveryRow, 'id' | 'destination_id' | 'event' | 'body'>,
): Promise<DestinationDeliveryRow> =>
  db.insertInto('alert_messages').values(message).returningAll().executeTakeFirstOrThrow();
