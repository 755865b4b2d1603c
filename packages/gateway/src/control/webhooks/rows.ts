/** Webhooks of accounts and the messages waiting to be sent to them. */
import { type Selectable, sql } from 'kysely';
import type { Static } from 'typebox';
import type { SealedSecret, Vault } from '../../people/secrets/vault.ts';
import { type Db, OPERATOR, type Store } from '../../store/postgres/store.ts';
import { storedAs, type TableOf } from '../api/shown.ts';
import type { NewWebhook, Webhook, WebhookChange } from './contract.ts';
import { nextDueInMs, settledColumns } from './delivery-rows.ts';
import type { Attempted, Delivery, DueMessage, MessageRows } from './dispatcher.ts';
import type { ResponseEnd } from './events.ts';
import { type EndedOperation, messageBody, messageIdOf, responseBody } from './message.ts';
import type { SignedPost } from './signed-post.ts';

type WebhooksTable = TableOf<
  typeof Webhook,
  {
    readonly account_id: string;
    readonly sealed: Buffer;
    readonly wrapped_key: Buffer;
    readonly wrapping: string;
    readonly previous_sealed: Buffer | null;
    readonly previous_wrapped_key: Buffer | null;
    readonly previous_wrapping: string | null;
  }
>;

declare module '../../store/postgres/tables.ts' {
  interface Tables {
    readonly webhooks: WebhooksTable;
  }
}

export type WebhookRow = Selectable<WebhooksTable>;

export type DueWebhook = DueMessage & SignedPost & { readonly accountId: string; readonly webhookId: string };

/** Every message goes to all of them. */
export const MAX_PER_ACCOUNT = 16;

/** The identity that the encryption of a secret is bound to. */
export const webhookIdentity = (accountId: string, id: string): string => `webhooks:${accountId}:${id}`;

export const insertWebhook = (
  db: Db,
  {
    secret,
    ...webhook
  }: Static<typeof NewWebhook> & { readonly accountId: string; readonly id: string; readonly secret: SealedSecret },
): Promise<WebhookRow> =>
  db
    .insertInto('webhooks')
    .values({ ...storedAs(webhook), ...storedAs(secret) })
    .returningAll()
    .executeTakeFirstOrThrow();

export const listWebhooks = (db: Db, accountId: string): Promise<WebhookRow[]> =>
  db.selectFrom('webhooks').selectAll().where('account_id', '=', accountId).orderBy('id').execute();

export const findWebhook = (db: Db, accountId: string, id: string): Promise<WebhookRow | undefined> =>
  db.selectFrom('webhooks').selectAll().where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst();

export const updateWebhook = (
  db: Db,
  accountId: string,
  id: string,
  change: Static<typeof WebhookChange>,
): Promise<WebhookRow | undefined> =>
  db
    .updateTable('webhooks')
    .set(storedAs(change))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

export const countWebhooks = async (db: Db, accountId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** The previous secret also signs, for a while. */
export const rotateWebhook = (
  db: Db,
  accountId: string,
  id: string,
  secret: SealedSecret,
  graceSeconds: number,
): Promise<WebhookRow | undefined> =>
  db
    .updateTable('webhooks')
    .set(({ ref }) => ({
      previous_sealed: ref('sealed'),
      previous_wrapped_key: ref('wrapped_key'),
      previous_wrapping: ref('wrapping'),
      previous_until: sql<Date>`now() + make_interval(secs => ${graceSeconds})`,
      ...storedAs(secret),
    }))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

export const deleteWebhook = async (db: Db, accountId: string, id: string): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('webhooks')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
};

/** Rewraps all under the operator's current key; returns how many secrets were changed. */
export async function rewrapWebhooks(db: Db, vault: Vault): Promise<number> {
  let moved = 0;
  for (const row of await db.selectFrom('webhooks').selectAll().execute()) {
    const identity = webhookIdentity(row.account_id, row.id);
    const current = secretOf(row);
    const previous = previousOf(row);
    if ([current, previous].every((secret) => secret === undefined || vault.isCurrent(secret))) continue;
    const rewrapped = previous && vault.rewrap(identity, previous);
    await db
      .updateTable('webhooks')
      .set({
        ...storedAs(vault.rewrap(identity, current)),
        ...(rewrapped && { previous_wrapped_key: rewrapped.wrappedKey, previous_wrapping: rewrapped.wrapping }),
      })
      .where('account_id', '=', row.account_id)
      .where('id', '=', row.id)
      .execute();
    moved++;
  }
  return moved;
}

type SecretColumns = Pick<
  WebhookRow,
  'sealed' | 'wrapped_key' | 'wrapping' | 'previous_sealed' | 'previous_wrapped_key' | 'previous_wrapping'
>;

export const secretOf = ({ sealed, wrapped_key: wrappedKey, wrapping }: SecretColumns): SealedSecret => ({
  sealed,
  wrappedKey,
  wrapping,
});

function previousOf(row: SecretColumns): SealedSecret | undefined {
  const { previous_sealed: sealed, previous_wrapped_key: wrappedKey, previous_wrapping: wrapping } = row;
  return sealed === null || wrappedKey === null || wrapping === null ? undefined : { sealed, wrappedKey, wrapping };
}

/** An event of an account. `subject`: with the same one, it is the same message. */
type AccountMessage = {
  readonly accountId: string;
  readonly event: string;
  readonly subject: readonly string[];
  readonly body: string;
  /** Also sent to webhooks that chose no events. */
  readonly byDefault?: true;
};

/** One message for every webhook of the account that subscribes to its event. Idempotent. */
export async function writeToWebhooks(db: Db, message: AccountMessage): Promise<number> {
  const { accountId, event, subject, body, byDefault = false } = message;
  const webhooks = await db
    .selectFrom('webhooks')
    .select('id')
    .where('account_id', '=', accountId)
    .where('gone_at', 'is', null)
    .where(sql<boolean>`(${byDefault} and events is null) or ${event} = any(events)`)
    .execute();
  if (webhooks.length === 0) return 0;
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('webhook_messages')
    .values(
      webhooks.map(({ id }) => ({
        account_id: accountId,
        id: messageIdOf(accountId, id, ...subject),
        webhook_id: id,
        event,
        body,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows);
}

export const announce = (db: Db, event: EndedOperation, nowMs: number): Promise<number> => {
  const { accountId, operation, end } = event;
  return writeToWebhooks(db, {
    accountId,
    event: `operation.${end}`,
    subject: [operation, end],
    body: messageBody(event, nowMs),
    byDefault: true,
  });
};

/** A response in the background has ended. Sent to webhooks that chose it. */
export async function announceResponse(
  db: Db,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  end: ResponseEnd,
  nowMs: number,
): Promise<void> {
  await writeToWebhooks(db, {
    accountId,
    event: `response.${end}`,
    subject: [id, end],
    body: responseBody(id, end, nowMs),
  });
}

/** Nothing more is sent to it, pending messages included. */
async function endWebhook(db: Db, accountId: string, id: string): Promise<void> {
  await db
    .updateTable('webhooks')
    .set({ gone_at: sql<Date>`now()` })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
  await db
    .updateTable('webhook_messages')
    .set({ state: 'failed' })
    .where('account_id', '=', accountId)
    .where('webhook_id', '=', id)
    .where('state', '=', 'due')
    .execute();
}

type ClaimedRow = Omit<WebhookRow, 'id' | 'created_at' | 'gone_at' | 'events' | 'previous_until'> & {
  /** By the database's clock, which also set its end. */
  readonly is_previous_valid: boolean;
  readonly id: string;
  readonly webhook_id: string;
  readonly body: string;
  readonly tries: number;
};

export class StoredMessages implements MessageRows<DueWebhook> {
  readonly #store: Store;
  readonly #vault: () => Vault | undefined;
  readonly #onUnsigned: () => void;

  /** `onUnsigned`: called when messages are due that this node cannot sign. */
  constructor(store: Store, vault: () => Vault | undefined, onUnsigned: () => void) {
    this.#store = store;
    this.#vault = vault;
    this.#onUnsigned = onUnsigned;
  }

  async claim(limit: number, claimMs: number): Promise<readonly DueWebhook[]> {
    const vault = this.#vault();
    if (vault === undefined) {
      if (await this.#isAnyDue()) this.#onUnsigned();
      return [];
    }
    const { rows } = await this.#store.within(OPERATOR, (db) =>
      sql<ClaimedRow>`
        with due as (
          select account_id, id from webhook_messages
          where state = 'due' and due_at <= now() order by due_at limit ${limit} for update skip locked
        )
        update webhook_messages m
        set tries = m.tries + 1, due_at = now() + make_interval(secs => ${claimMs / 1000})
        from due, webhooks w
        where m.account_id = due.account_id and m.id = due.id
          and w.account_id = m.account_id and w.id = m.webhook_id
        returning m.account_id, m.id, m.webhook_id, m.body, m.tries, w.url, w.sealed, w.wrapped_key, w.wrapping,
          w.previous_sealed, w.previous_wrapped_key, w.previous_wrapping,
          coalesce(w.previous_until > now(), false) as is_previous_valid`.execute(db),
    );
    return rows.map((row) => dueOf(row, vault));
  }

  async nextDueInMs(): Promise<number | undefined> {
    if (this.#vault() === undefined) return undefined;
    return this.#store.within(OPERATOR, (db) => nextDueInMs(db, 'webhook_messages'));
  }

  #isAnyDue(): Promise<boolean> {
    return this.#store.within(OPERATOR, async (db) => {
      const due = sql`select 1 from webhook_messages where state = 'due' and due_at <= now() limit 1`;
      return (await due.execute(db)).rows.length > 0;
    });
  }

  async settle(
    { accountId, id, webhookId }: DueWebhook,
    delivery: Delivery,
    attempted: Attempted,
    gone: boolean,
  ): Promise<void> {
    await this.#store.within(accountId, async (db) => {
      await db
        .updateTable('webhook_messages')
        .set(settledColumns(delivery, attempted))
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .execute();
      if (gone) await endWebhook(db, accountId, webhookId);
    });
  }

  async forget(beforeMs: number): Promise<number> {
    const { numDeletedRows } = await this.#store.within(OPERATOR, (db) =>
      db
        .deleteFrom('webhook_messages')
        .where('state', '<>', 'due')
        .where('created_at', '<', new Date(beforeMs))
        .executeTakeFirst(),
    );
    return Number(numDeletedRows);
  }
}

function dueOf(row: ClaimedRow, vault: Vault): DueWebhook {
  const { account_id: accountId, id, webhook_id: webhookId, url, body, tries } = row;
  return { accountId, id, webhookId, url, body, tries, secrets: secretsOf(row, vault) };
}

function secretsOf(row: ClaimedRow, vault: Vault): readonly string[] | undefined {
  const identity = webhookIdentity(row.account_id, row.webhook_id);
  try {
    const previous = row.is_previous_valid ? previousOf(row) : undefined;
    return [secretOf(row), ...(previous === undefined ? [] : [previous])].map((secret) => vault.open(identity, secret));
  } catch {
    return undefined;
  }
}
