/** Items of stored responses and conversations: their ids, and the form in which they are shown. */
import { randomBytes } from 'node:crypto';
import { arrayAt, isJsonArray, isJsonObject, type Json, type JsonObject, stringAt } from '@trivium/protocol/canonical';
import { malformed } from './faults.ts';

/** What the official ids of these types begin with. */
const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
};
const ID_BYTES = 18;
/** Others are refused as unknown. */
const ID = /^[A-Za-z0-9_-]{1,128}$/;
export const isId = (text: string): boolean => ID.test(text);

export const newId = (prefix: string): string => `${prefix}_${randomBytes(ID_BYTES).toString('hex')}`;

const typeOf = (item: JsonObject): string => stringAt(item, 'type') ?? 'message';
const prefixOf = (item: JsonObject): string => PREFIXES[typeOf(item)] ?? 'item';
export const newItemId = (item: JsonObject): string => newId(prefixOf(item));

/** Ids of input items follow from their response and position, so that nothing has to be stored for them. */
export const inputItems = (responseId: string, input: readonly Json[]): readonly JsonObject[] =>
  input
    .filter(isJsonObject)
    .map((item, at) =>
      shownItem(item, stringAt(item, 'id') ?? `${prefixOf(item)}_${responseId.slice(ID_PREFIX.length)}_i${at}`),
    );

const ID_PREFIX = 'resp_';
/** The response that an item's id names, if the gateway chose it. */
const OF_RESPONSE = /^[a-z]{1,8}_([0-9A-Z]{26})_i?\d{1,6}$/;
export function responseOfItem(itemId: string): string | undefined {
  const [, requestId] = OF_RESPONSE.exec(itemId) ?? [];
  return requestId === undefined ? undefined : `${ID_PREFIX}${requestId}`;
}

/** As clients read them: with an id, a status, and content in parts. */
export function shownItem(item: JsonObject, id: string): JsonObject {
  const type = typeOf(item);
  const { content } = item;
  const status = stringAt(item, 'status') ?? 'completed';
  if (type !== 'message') return { ...item, id, ...(type !== 'reasoning' && { status }) };
  const said = item['role'] === 'assistant';
  const part = (text: string): JsonObject =>
    said ? { type: 'output_text', text, annotations: [], logprobs: [] } : { type: 'input_text', text };
  return { ...item, type, id, status, content: typeof content === 'string' ? [part(content)] : (content ?? []) };
}

/** Of a response that was read back. */
export const outputItems = (response: JsonObject): readonly JsonObject[] =>
  arrayAt(response, 'output').filter(isJsonObject);

const MAX_AT_ONCE = 20;

/** The form is checked here; what a model makes of it, by the call that uses it. */
export function checkItems(given: Json | undefined, least: number): readonly JsonObject[] {
  const list = given ?? [];
  if (!isJsonArray(list) || list.length > MAX_AT_ONCE || list.length < least)
    throw malformed('items', `must be a list of ${least} to ${MAX_AT_ONCE} items`);
  return list.map((item, at) => {
    const field = `items[${at}]`;
    if (!isJsonObject(item)) throw malformed(field, 'must be an object');
    const { type, role, content } = item;
    if (type === 'item_reference' || (type === undefined && role === undefined))
      throw malformed(field, 'must be a whole item, with a type or a role');
    if (type !== undefined && typeof type !== 'string') throw malformed(`${field}.type`, 'must be a string');
    if (typeOf(item) === 'message' && typeof content !== 'string' && !(content !== undefined && isJsonArray(content)))
      throw malformed(`${field}.content`, 'must be a text or a list of parts');
    return item;
  });
}

const MAX_METADATA = 16;
const MAX_NAME = 64;
const MAX_VALUE = 512;

export function checkMetadata(given: Json | undefined): JsonObject {
  const metadata = given ?? {};
  const pairs = isJsonObject(metadata) ? Object.entries(metadata) : [];
  const fits = ([name, value]: readonly [string, Json]): boolean =>
    name.length <= MAX_NAME && typeof value === 'string' && value.length <= MAX_VALUE;
  if (!isJsonObject(metadata) || pairs.length > MAX_METADATA || !pairs.every(fits))
    throw malformed(
      'metadata',
      `must be an object of up to ${MAX_METADATA} texts, names up to ${MAX_NAME} and values up to ${MAX_VALUE} characters`,
    );
  return metadata;
}

export type PageAsked = { readonly isAscending: boolean; readonly after: string | undefined; readonly limit: number };

const MAX_PAGE = 100;
const USUAL_PAGE = 20;

export function pageAsked(query: ReadonlyMap<string, string>): PageAsked {
  const order = query.get('order') ?? 'desc';
  const limit = Number(query.get('limit') ?? USUAL_PAGE);
  if (order !== 'asc' && order !== 'desc') throw malformed('order', 'must be asc or desc');
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE)
    throw malformed('limit', `must be an integer from 1 to ${MAX_PAGE}`);
  return { isAscending: order === 'asc', after: query.get('after'), limit };
}

/** `found`: one more than asked for, if there are more. */
export function pageOf(found: readonly JsonObject[], limit: number): JsonObject {
  const data = found.slice(0, limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: found.length > limit,
  };
}
