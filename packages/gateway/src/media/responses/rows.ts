/** The rows of stored responses and conversations. Their content is encrypted before it gets here. */
import { type Kysely, sql } from 'kysely';
import { type Db, OPERATOR, type Store } from '../../store/postgres/store.ts';
import type { Tables } from '../../store/postgres/tables.ts';

export type StoredRow = {
  readonly id: string;
  readonly dataKeyId: string;
  readonly previousId: string | null;
  readonly conversationId: string | null;
  readonly conversationUntil: bigint | null;
  readonly sealed: Buffer;
};

export type StoredTimes = { readonly createdAt: Date; readonly expiresAt: Date };

export type NewRow = StoredRow & {
  readonly accountId: string;
  /** Ids that do not name their response. */
  readonly itemIds: readonly string[];
};

export type ConversationRow = {
  readonly id: string;
  readonly dataKeyId: string;
  readonly nextPosition: bigint;
  readonly createdAt: Date;
  readonly sealed: Buffer;
};

export type ItemRow = {
  readonly itemId: string;
  readonly conversationId: string;
  readonly position: bigint;
  readonly dataKeyId: string;
  readonly sealed: Buffer;
};

export type NewItem = {
  readonly itemId: string;
  /** Used where the conversation has an item of that id. */
  readonly spareId: string;
  readonly sealed: Buffer;
};

export type FoundHistory = {
  /** Newest first. */
  readonly chain: readonly StoredRow[];
  readonly conversation: ConversationRow | undefined;
  /** In order: of the conversation asked for, or of the one that the chain began in. */
  readonly conversationItems: readonly ItemRow[];
  readonly responsesOfItems: readonly StoredRow[];
  readonly itemsByReference: readonly ItemRow[];
};

export type HistoryAsked = {
  readonly previousId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly itemIds: readonly string[];
  /** Responses that item ids name. */
  readonly responseIds: readonly string[];
  readonly maxBytes: number;
};

const SWEEP_ROWS = 1000;
/** A longer chain is cut off, which is noticed. */
const MAX_CHAIN = 4096;

const RESPONSE = sql`r.id, r.data_key_id as "dataKeyId", r.previous_id as "previousId",
  r.conversation_id as "conversationId", r.conversation_until as "conversationUntil", r.sealed`;
const CONVERSATION = sql`c.id, c.data_key_id as "dataKeyId", c.next_position as "nextPosition",
  c.created_at as "createdAt", c.sealed`;
const ITEM = sql`i.item_id as "itemId", i.conversation_id as "conversationId", i.position,
  c.data_key_id as "dataKeyId", i.sealed`;
/** Rows whose key was deleted are not read, wherever they come from. */
const OF_KEY = sql`join capture_keys k on k.account_id = r.account_id and k.id = r.data_key_id`;
const CONVERSATION_OF_KEY = sql`join capture_keys k on k.account_id = c.account_id and k.id = c.data_key_id`;

export class StoredRows {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  get losses(): number {
    return this.#store.losses;
  }

  /** Proves that the store can be reached, too. */
  async bytesOf(accounts: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    const { rows } = await sql<{ accountId: string; bytes: bigint }>`
      select account_id as "accountId", bytes from trivium_stored_bytes(${[...accounts]}::text[])`.execute(
      this.#store.app,
    );
    return new Map(rows.map(({ accountId, bytes }) => [accountId, bytes]));
  }

  history(accountId: string, asked: HistoryAsked): Promise<FoundHistory> {
    return this.#store.reading(accountId, async (db) => {
      const { previousId, conversationId, itemIds, responseIds, maxBytes } = asked;
      const chain = previousId === undefined ? [] : await chainOf(db, accountId, previousId, maxBytes);
      const [first] = chain.slice(-1);
      const began = conversationId ?? first?.conversationId ?? undefined;
      const conversation = began === undefined ? undefined : await findConversation(db, accountId, began);
      const until = conversationId === undefined ? first?.conversationUntil : null;
      const conversationItems =
        conversation === undefined ? [] : await itemsUntil(db, accountId, conversation.id, until ?? null, maxBytes);
      if (itemIds.length === 0)
        return { chain, conversation, conversationItems, responsesOfItems: [], itemsByReference: [] };
      const { rows: responsesOfItems } = await sql<StoredRow>`
        select ${RESPONSE} from stored_responses r ${OF_KEY}
        where r.account_id = ${accountId} and r.expires_at > now()
          and (r.id = any(${[...responseIds]}::text[]) or r.item_ids && ${[...itemIds]}::text[])
        order by r.created_at desc`.execute(db);
      const { rows: itemsByReference } = await sql<ItemRow>`
        select ${ITEM} from conversation_items i
          join conversations c on c.account_id = i.account_id and c.id = i.conversation_id ${CONVERSATION_OF_KEY}
        where i.account_id = ${accountId} and i.item_id = any(${[...itemIds]}::text[]) and c.expires_at > now()`.execute(
        db,
      );
      return { chain, conversation, conversationItems, responsesOfItems, itemsByReference };
    });
  }

  find(accountId: string, id: string): Promise<(StoredRow & StoredTimes) | undefined> {
    return this.#store.within(accountId, async (db) => {
      const { rows } = await sql<StoredRow & StoredTimes>`
        select ${RESPONSE}, r.created_at as "createdAt", r.expires_at as "expiresAt" from stored_responses r ${OF_KEY}
        where r.account_id = ${accountId} and r.id = ${id} and r.expires_at > now()`.execute(db);
      return rows[0];
    });
  }

  /** The ids of those that were stored: the others' keys are not the accounts' any more. */
  insert(rows: readonly NewRow[], keepMs: number): Promise<ReadonlySet<string>> {
    return insertRows(this.#store.app, rows, keepMs);
  }

  /** With the items it adds to its conversation: undefined if that is gone, and then nothing is stored. */
  insertInto(
    row: NewRow & { readonly conversationId: string },
    items: readonly NewItem[],
    keepMs: number,
  ): Promise<ReadonlySet<string> | undefined> {
    return this.#store.within(row.accountId, (db) => this.insertTurn(db, row, items, keepMs));
  }

  /** The same within a transaction that does more; items only with a conversation. */
  async insertTurn(
    db: Db,
    row: NewRow,
    items: readonly NewItem[],
    keepMs: number,
  ): Promise<ReadonlySet<string> | undefined> {
    const { accountId, conversationId, dataKeyId } = row;
    if (
      conversationId !== null &&
      (await appendItems(db, accountId, conversationId, dataKeyId, items, keepMs)) === undefined
    )
      return undefined;
    return insertRows(db, [row], keepMs);
  }

  delete(accountId: string, id: string): Promise<boolean> {
    return this.#store.within(accountId, async (db) => {
      const { rows } = await sql`delete from stored_responses
        where account_id = ${accountId} and id = ${id} and expires_at > now() returning 1`.execute(db);
      return rows.length > 0;
    });
  }

  createConversation(
    accountId: string,
    { id, dataKeyId, sealed }: { readonly id: string; readonly dataKeyId: string; readonly sealed: Buffer },
    items: readonly NewItem[],
    keepMs: number,
  ): Promise<Date | undefined> {
    return this.#store.within(accountId, async (db) => {
      const { rows } = await sql<{ created_at: Date }>`
        insert into conversations (account_id, id, data_key_id, bytes, expires_at, sealed)
        select ${accountId}, ${id}, k.id, ${sealed.length}::integer, now() + ${keepMs} * interval '1 ms', ${sealed}
        from capture_keys k where k.account_id = ${accountId} and k.id = ${dataKeyId}
        returning created_at`.execute(db);
      if (rows[0] !== undefined && items.length > 0) await appendItems(db, accountId, id, dataKeyId, items, keepMs);
      return rows[0]?.created_at;
    });
  }

  conversation(accountId: string, id: string): Promise<ConversationRow | undefined> {
    return this.#store.within(accountId, (db) => findConversation(db, accountId, id));
  }

  async updateConversation(accountId: string, id: string, sealed: Buffer): Promise<void> {
    await this.#store.within(accountId, (db) =>
      sql`update conversations set sealed = ${sealed}, bytes = ${sealed.length}
        where account_id = ${accountId} and id = ${id} and expires_at > now()`.execute(db),
    );
  }

  deleteConversation(accountId: string, id: string): Promise<boolean> {
    return this.#store.within(accountId, async (db) => {
      const { rows } = await sql`delete from conversations
        where account_id = ${accountId} and id = ${id} and expires_at > now() returning 1`.execute(db);
      return rows.length > 0;
    });
  }

  append(
    accountId: string,
    { id, dataKeyId }: Pick<ConversationRow, 'id' | 'dataKeyId'>,
    items: readonly NewItem[],
    keepMs: number,
  ): Promise<readonly string[] | undefined> {
    return this.#store.within(accountId, (db) => appendItems(db, accountId, id, dataKeyId, items, keepMs));
  }

  /** One more than `limit`, if there are more; undefined if `after` is not an item of it. */
  items(
    accountId: string,
    conversationId: string,
    { isAscending, after, limit }: { isAscending: boolean; after: string | undefined; limit: number },
  ): Promise<readonly ItemRow[] | undefined> {
    return this.#store.within(accountId, async (db) => {
      const from = after === undefined ? undefined : await findItem(db, accountId, conversationId, after);
      if (after !== undefined && from === undefined) return undefined;
      const beyond =
        from === undefined
          ? sql`true`
          : isAscending
            ? sql`i.position > ${from.position}`
            : sql`i.position < ${from.position}`;
      const { rows } = await sql<ItemRow>`
        select ${ITEM} from conversation_items i
          join conversations c on c.account_id = i.account_id and c.id = i.conversation_id
        where i.account_id = ${accountId} and i.conversation_id = ${conversationId} and ${beyond}
        order by i.position ${isAscending ? sql`asc` : sql`desc`} limit ${limit + 1}`.execute(db);
      return rows;
    });
  }

  item(accountId: string, conversationId: string, itemId: string): Promise<ItemRow | undefined> {
    return this.#store.within(accountId, (db) => findItem(db, accountId, conversationId, itemId));
  }

  deleteItem(accountId: string, conversationId: string, itemId: string): Promise<boolean> {
    return this.#store.within(accountId, async (db) => {
      const { rows } = await sql`delete from conversation_items
        where account_id = ${accountId} and conversation_id = ${conversationId} and item_id = ${itemId}
        returning 1`.execute(db);
      return rows.length > 0;
    });
  }

  /** Returns how many were deleted: call again until there are none. */
  sweep(): Promise<number> {
    return this.#store.within(OPERATOR, async (db) => {
      let deleted = 0;
      for (const table of ['stored_responses', 'conversations']) {
        const name = sql.table(table);
        const { numAffectedRows = 0n } = await sql`delete from ${name} where (account_id, id) in
          (select account_id, id from ${name} where expires_at <= now() limit ${SWEEP_ROWS})`.execute(db);
        deleted += Number(numAffectedRows);
      }
      return deleted;
    });
  }
}

/** Newest first. Ends early beyond the bounds, which shows in the last one's `previousId`. */
async function chainOf(db: Db, accountId: string, id: string, maxBytes: number): Promise<readonly StoredRow[]> {
  const { rows } = await sql<StoredRow>`
    with recursive chain (id, previous_id, depth, total) as (
      select id, previous_id, 1, bytes::bigint from stored_responses
      where account_id = ${accountId} and id = ${id} and expires_at > now()
      union all
      select r.id, r.previous_id, depth + 1, total + r.bytes from chain
        join stored_responses r on r.account_id = ${accountId} and r.id = chain.previous_id
      where r.expires_at > now() and depth < ${MAX_CHAIN} and total <= ${maxBytes})
    select ${RESPONSE} from chain join stored_responses r on r.account_id = ${accountId} and r.id = chain.id ${OF_KEY}
    order by depth`.execute(db);
  return rows;
}

async function findConversation(db: Db, accountId: string, id: string): Promise<ConversationRow | undefined> {
  const { rows } = await sql<ConversationRow>`select ${CONVERSATION} from conversations c ${CONVERSATION_OF_KEY}
    where c.account_id = ${accountId} and c.id = ${id} and c.expires_at > now()`.execute(db);
  return rows[0];
}

async function itemsUntil(
  db: Db,
  accountId: string,
  conversationId: string,
  until: bigint | null,
  maxBytes: number,
): Promise<readonly ItemRow[]> {
  const { rows } = await sql<ItemRow>`
    select * from (
      select ${ITEM}, sum(i.bytes) over (order by i.position) - i.bytes as before from conversation_items i
        join conversations c on c.account_id = i.account_id and c.id = i.conversation_id
      where i.account_id = ${accountId} and i.conversation_id = ${conversationId}
        and (${until}::bigint is null or i.position < ${until})) as listed
    where before <= ${maxBytes} order by position`.execute(db);
  return rows;
}

async function findItem(
  db: Db,
  accountId: string,
  conversationId: string,
  itemId: string,
): Promise<ItemRow | undefined> {
  const { rows } = await sql<ItemRow>`
    select ${ITEM} from conversation_items i
      join conversations c on c.account_id = i.account_id and c.id = i.conversation_id ${CONVERSATION_OF_KEY}
    where i.account_id = ${accountId} and i.conversation_id = ${conversationId} and i.item_id = ${itemId}
      and c.expires_at > now()`.execute(db);
  return rows[0];
}

async function insertRows(db: Kysely<Tables>, rows: readonly NewRow[], keepMs: number): Promise<ReadonlySet<string>> {
  const column = <T>(of: (row: NewRow) => T): T[] => rows.map(of);
  // One piece of binary: in an array each would be written, sent and read as hexadecimal text.
  const contents = Buffer.concat(column(({ sealed }) => sealed));
  const { rows: stored } = await sql<{ id: string }>`
    select trivium_store_responses(
      ${column(({ accountId }) => accountId)}::text[], ${column(({ id }) => id)}::text[],
      ${column(({ dataKeyId }) => dataKeyId)}::text[], ${column(({ previousId }) => previousId)}::text[],
      ${column(({ conversationId }) => conversationId)}::text[],
      ${column(({ conversationUntil }) => conversationUntil)}::bigint[],
      ${column(({ itemIds }) => (itemIds.length === 0 ? null : itemIds.join(' ')))}::text[],
      (select array_agg(substring(${contents}::bytea from (until - length + 1)::integer for length) order by nth) from (
        select length, nth, sum(length) over (order by nth) as until
        from unnest(${column(({ sealed }) => sealed.length)}::integer[]) with ordinality as given (length, nth)) as pieces),
      ${keepMs}::bigint) as id`.execute(db);
  return new Set(stored.map(({ id }) => id));
}

/** All of them, one after another: who adds at the same time waits for the row. Returns the ids they got. */
async function appendItems(
  db: Db,
  accountId: string,
  conversationId: string,
  dataKeyId: string,
  items: readonly NewItem[],
  keepMs: number,
): Promise<readonly string[] | undefined> {
  const { rows } = await sql<{ from: bigint }>`
    update conversations set next_position = next_position + ${items.length},
      expires_at = greatest(expires_at, now() + ${keepMs} * interval '1 ms')
    where account_id = ${accountId} and id = ${conversationId} and data_key_id = ${dataKeyId} and expires_at > now()
    returning next_position - ${items.length} as "from"`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { rows: added } = await sql<{ item_id: string; position: bigint }>`
    insert into conversation_items (account_id, conversation_id, position, item_id, bytes, sealed)
    select ${accountId}, ${conversationId}, ${row.from} + at - 1,
      case when row_number() over (partition by item_id order by at) > 1 or exists (
          select from conversation_items i where i.account_id = ${accountId} and i.item_id = given.item_id
            and i.conversation_id = ${conversationId})
        then spare_id else item_id end,
      octet_length(sealed), sealed
    from unnest(${items.map(({ itemId }) => itemId)}::text[], ${items.map(({ spareId }) => spareId)}::text[],
        ${items.map(({ sealed }) => sealed)}::bytea[])
      with ordinality as given (item_id, spare_id, sealed, at)
    returning item_id, position`.execute(db);
  return added.toSorted((a, b) => Number(a.position - b.position)).map(({ item_id }) => item_id);
}
