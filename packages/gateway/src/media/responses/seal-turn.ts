/** A turn as it is stored: its answer and its own input, encrypted, and what is added to its conversation. */
import { isJsonObject, type Json, type JsonObject } from '@trivium/protocol/canonical';
import type { OpenTurn } from '../../kernel/stored-responses.ts';
import type { AccountKey } from '../../people/secrets/aead.ts';
import type { StoredContent } from './content.ts';
import { sealItems } from './conversations.ts';
import { outputItems, responseOfItem } from './items.ts';
import type { NewItem, NewRow } from './rows.ts';

/** Of any object, not of items alone: a search by id reads each response that it may be in. */
function idsIn(text: string): readonly string[] {
  const ids: string[] = [];
  for (let at = text.indexOf(MEMBER); at !== -1; at = text.indexOf(MEMBER, at + 1)) {
    ID.lastIndex = at + MEMBER.length;
    ids.push(...(ID.exec(text)?.slice(1) ?? []));
  }
  return ids;
}
const MEMBER = '"id"';
const ID = /\s*:\s*"([A-Za-z0-9_-]{1,128})"/y;

/** Binds the encryption to the row. */
export const identityOf = (accountId: string, id: string): string => `response:${accountId}:${id}`;

export async function sealTurn(
  content: StoredContent,
  key: AccountKey,
  turn: OpenTurn,
  response: string,
): Promise<{ readonly row: NewRow; readonly items: readonly NewItem[] }> {
  const { accountId, id, input, previousId, conversationId, conversationUntil } = turn;
  const row: NewRow = {
    accountId,
    id,
    dataKeyId: key.id,
    previousId: previousId ?? null,
    conversationId: conversationId ?? null,
    conversationUntil: conversationUntil ?? null,
    itemIds: idsIn(response).filter((itemId) => itemId !== id && responseOfItem(itemId) !== id),
    sealed: await content.seal(key, identityOf(accountId, id), `{"response":${response},"input":${input}}`),
  };
  if (conversationId === undefined) return { row, items: [] };
  const own = (JSON.parse(input) as readonly Json[]).filter(isJsonObject);
  const added = [...own, ...outputItems(JSON.parse(response) as JsonObject)];
  return { row, items: await sealItems(content, key, accountId, conversationId, added) };
}
