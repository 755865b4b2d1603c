/** Conversations: items that answers add to, and callers too. */
import { isJsonObject, type Json, type JsonObject, stringAt } from '@trivium/protocol/canonical';
import type { StoredQuestion } from '../../kernel/stored-responses.ts';
import type { AccountKey } from '../../people/secrets/aead.ts';
import type { StoredContent } from './content.ts';
import { notFound } from './faults.ts';
import { checkItems, checkMetadata, isId, newId, newItemId, pageAsked, pageOf, shownItem } from './items.ts';
import type { ConversationRow, ItemRow, NewItem, StoredRows } from './rows.ts';

type ConversationPorts = {
  readonly rows: StoredRows;
  readonly content: StoredContent;
  readonly settings: () => { readonly keepMs: number; readonly maxCharacters: number };
};

/** Of the metadata, which is checked. */
const MAX_METADATA_BYTES = 65_536;

/** Bind the encryption: moved to another conversation it cannot be decrypted. */
const itemIdentity = (accountId: string, conversationId: string): string =>
  `conversation_item:${accountId}:${conversationId}`;
const ownIdentity = (accountId: string, id: string): string => `conversation:${accountId}:${id}`;

/** The text is as it was given; the id that callers use stands beside it. */
export async function sealItems(
  content: StoredContent,
  key: AccountKey,
  accountId: string,
  conversationId: string,
  items: readonly JsonObject[],
): Promise<readonly NewItem[]> {
  const identity = itemIdentity(accountId, conversationId);
  const sealed: NewItem[] = [];
  for (const item of items) {
    const spareId = newItemId(item);
    const given = stringAt(item, 'id') ?? '';
    sealed.push({
      itemId: isId(given) ? given : spareId,
      spareId,
      sealed: await content.seal(key, identity, JSON.stringify(item)),
    });
  }
  return sealed;
}

export async function openItem(
  { content, settings }: ConversationPorts,
  accountId: string,
  { itemId, conversationId, dataKeyId, sealed }: ItemRow,
): Promise<string> {
  const identity = itemIdentity(accountId, conversationId);
  const text = await content.open(accountId, dataKeyId, identity, sealed, settings().maxCharacters);
  if (text === undefined) throw notFound('Item', itemId);
  return text;
}

export class Conversations {
  readonly #ports: ConversationPorts;
  readonly #requireRoom: (accountId: string) => Promise<void>;

  constructor(ports: ConversationPorts, requireRoom: (accountId: string) => Promise<void>) {
    this.#ports = ports;
    this.#requireRoom = requireRoom;
  }

  async ask(accountId: string, { method, path, query, body }: StoredQuestion): Promise<JsonObject> {
    const [, id, items, itemId] = path;
    if (id === undefined) return this.#create(accountId, body);
    const found = isId(id) ? await this.#ports.rows.conversation(accountId, id) : undefined;
    if (found === undefined) throw notFound('Conversation', id);
    if (items === undefined) return this.#one(accountId, found, method, body);
    if (itemId !== undefined && !isId(itemId)) throw notFound('Item', itemId);
    if (itemId !== undefined) return this.#item(accountId, found, itemId, method);
    return method === 'POST' ? this.#add(accountId, found, body) : this.#list(accountId, id, query);
  }

  async #create(accountId: string, body: JsonObject): Promise<JsonObject> {
    const { rows, content, settings } = this.#ports;
    const items = checkItems(body['items'] ?? undefined, 0);
    const metadata = checkMetadata(body['metadata'] ?? undefined);
    await this.#requireRoom(accountId);
    const id = newId('conv');
    for (const isStale of [false, true]) {
      const key = await content.keyFor(accountId, isStale);
      const sealed = await content.seal(key, ownIdentity(accountId, id), JSON.stringify(metadata));
      const own = await sealItems(content, key, accountId, id, items);
      const row = { id, dataKeyId: key.id, sealed };
      const createdAt = await rows.createConversation(accountId, row, own, settings().keepMs);
      if (createdAt !== undefined) return conversationView(id, createdAt, metadata);
    }
    throw new Error('the data key was deleted while it was used');
  }

  async #one(accountId: string, row: ConversationRow, method: string, body: JsonObject): Promise<JsonObject> {
    const { rows, content } = this.#ports;
    const { id, createdAt } = row;
    if (method === 'DELETE') {
      if (!(await rows.deleteConversation(accountId, id))) throw notFound('Conversation', id);
      return { id, object: 'conversation.deleted', deleted: true };
    }
    if (method !== 'POST') return this.#view(accountId, row);
    const metadata = checkMetadata(body['metadata'] ?? undefined);
    const key = await this.#keyOf(accountId, row);
    const sealed = await content.seal(key, ownIdentity(accountId, id), JSON.stringify(metadata));
    await rows.updateConversation(accountId, id, sealed);
    return conversationView(id, createdAt, metadata);
  }

  async #view(accountId: string, { id, dataKeyId, createdAt, sealed }: ConversationRow): Promise<JsonObject> {
    const identity = ownIdentity(accountId, id);
    const text = await this.#ports.content.open(accountId, dataKeyId, identity, sealed, MAX_METADATA_BYTES);
    if (text === undefined) throw notFound('Conversation', id);
    return conversationView(id, createdAt, JSON.parse(text));
  }

  async #add(accountId: string, row: ConversationRow, body: JsonObject): Promise<JsonObject> {
    const { rows, content, settings } = this.#ports;
    const items = checkItems(body['items'], 1);
    await this.#requireRoom(accountId);
    const key = await this.#keyOf(accountId, row);
    const sealed = await sealItems(content, key, accountId, row.id, items);
    const ids = await rows.append(accountId, row, sealed, settings().keepMs);
    if (ids === undefined) throw notFound('Conversation', row.id);
    return pageOf(
      items.map((item, at) => shownItem(item, ids[at] ?? '')),
      items.length,
    );
  }

  /** All of a conversation is under one key. */
  async #keyOf(accountId: string, { id, dataKeyId }: ConversationRow): Promise<AccountKey> {
    for (const isStale of [false, true]) {
      const key = await this.#ports.content.keyFor(accountId, isStale);
      if (key.id === dataKeyId) return key;
    }
    throw notFound('Conversation', id);
  }

  async #list(accountId: string, id: string, query: ReadonlyMap<string, string>): Promise<JsonObject> {
    const asked = pageAsked(query);
    const { after = id } = asked;
    const found = isId(after) ? await this.#ports.rows.items(accountId, id, asked) : undefined;
    if (found === undefined) throw notFound('Item', asked.after ?? '', 'after');
    const shown: JsonObject[] = [];
    for (const row of found) shown.push(await this.#shown(accountId, row));
    return pageOf(shown, asked.limit);
  }

  /** Deleting one answers the conversation. */
  async #item(accountId: string, row: ConversationRow, itemId: string, method: string): Promise<JsonObject> {
    const { rows } = this.#ports;
    if (method === 'DELETE') {
      if (!(await rows.deleteItem(accountId, row.id, itemId))) throw notFound('Item', itemId);
      return this.#view(accountId, row);
    }
    const found = await rows.item(accountId, row.id, itemId);
    if (found === undefined) throw notFound('Item', itemId);
    return this.#shown(accountId, found);
  }

  async #shown(accountId: string, row: ItemRow): Promise<JsonObject> {
    const item: Json = JSON.parse(await openItem(this.#ports, accountId, row));
    return shownItem(isJsonObject(item) ? item : {}, row.itemId);
  }
}

const conversationView = (id: string, createdAt: Date, metadata: JsonObject): JsonObject => ({
  id,
  object: 'conversation',
  created_at: Math.floor(createdAt.getTime() / 1000),
  metadata,
});
