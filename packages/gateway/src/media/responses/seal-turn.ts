/** A turn as it is stored: its answer and its own input, encrypted, and what is added to its conversation. */
import { isJsonObject, type Json, type JsonObject, stringAt } from '@trivium/protocol/canonical';
import type { OpenTurn } from '../../kernel/stored-responses.ts';
import type { AccountKey } from '../../people/secrets/aead.ts';
import type { StoredContent } from './content.ts';
import { sealItems } from './conversations.ts';
import { isId, outputItems, responseOfItem } from './items.ts';
import type { NewItem, NewRow } from './rows.ts';

/** Binds the encryption to the row. */
export const identityOf = (accountId: string, id: string): string => `response:${accountId}:${id}`;

export async function sealTurn(
  content: StoredContent,
  key: AccountKey,
  turn: OpenTurn,
  response: JsonObject,
  text: string,
): Promise<{ readonly row: NewRow; readonly items: readonly NewItem[] }> {
  const { accountId, id, input, previousId, conversationId, conversationUntil } = turn;
  const output = outputItems(response);
  const row: NewRow = {
    accountId,
    id,
    dataKeyId: key.id,
    previousId: previousId ?? null,
    conversationId: conversationId ?? null,
    conversationUntil: conversationUntil ?? null,
    itemIds: output.flatMap((item) => {
      const itemId = stringAt(item, 'id');
      return itemId === undefined || responseOfItem(itemId) === id || !isId(itemId) ? [] : [itemId];
    }),
    sealed: await content.seal(key, identityOf(accountId, id), `{"response":${text},"input":${input}}`),
  };
  if (conversationId === undefined) return { row, items: [] };
  const added = [...(JSON.parse(input) as readonly Json[]).filter(isJsonObject), ...output];
  return { row, items: await sealItems(content, key, accountId, conversationId, added) };
}
