/**
 * Requests of Responses that refer to what is stored: the references are replaced by what they stand for, so that every
 * host gets a whole conversation, and nothing later in the pipeline differs from a caller who sent it all.
 */
import {
  GatewayError,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  stringAt,
} from '@trivium/protocol/canonical';
import { type Edit, type JsonBounds, splice } from '@trivium/protocol/framing';
import type { BodyRoom } from '../../kernel/admission.ts';
import type { JsonText } from '../../kernel/long-strings.ts';
import type {
  ConnectionTurns,
  History,
  KeepingReply,
  OpenTurn,
  Referred,
  StoredResponses,
} from '../../kernel/stored-responses.ts';
import type { WireTape } from '../../kernel/wire.ts';
import type { Identified, StoredTurn, Understood } from '../request.ts';
import { openBody } from './understand.ts';

/** Answers of this dialect can be stored. */
export const STORED_DIALECT = 'openai-responses';

/** Whether a text may refer to something; an item may be named by nothing but its id. */
const REFERS =
  /"(?:previous_response_id|conversation|item_reference)"|\{\s*"id"\s*:\s*"[^"\\]{1,200}"\s*\}|"type"\s*:\s*null/;
const NOTHING: JsonObject = {};

/** The body as it is understood; a promise only if it refers to something. */
export function withHistory(
  stored: StoredResponses | undefined,
  bounds: JsonBounds,
  identified: Identified,
  body: JsonText,
  room?: BodyRoom,
): JsonText | Promise<JsonText> {
  if (stored !== undefined) Object.assign(identified.head, { state: NOTHING });
  return REFERS.test(body.text) ? expanded(stored, bounds, identified, body, room) : body;
}

async function expanded(
  stored: StoredResponses | undefined,
  bounds: JsonBounds,
  identified: Identified,
  body: JsonText,
  room: BodyRoom | undefined,
): Promise<JsonText> {
  const text = body.longStrings?.restore(body.text) ?? body.text;
  const { value, members } = openBody(text, bounds, identified.dialect);
  const previousId = previousOf(value);
  const conversationId = conversationOf(value);
  if (previousId !== undefined && conversationId !== undefined)
    throw malformed('previous_response_id', 'cannot be sent with conversation');
  if (conversationId !== undefined && value['store'] === false)
    throw malformed('store', 'cannot be false with conversation, which the answer is added to');
  const { input } = value;
  const own: readonly Json[] = typeof input === 'string' ? [said(input)] : isJsonArray(input) ? input : [];
  const references = own.map(referenceOf);
  const itemIds = [...new Set(references.flatMap((id) => id ?? []))];
  // `{"id": …}` may be anything.
  if (previousId === undefined && conversationId === undefined && itemIds.length === 0) return body;
  const referred = { previousId, conversationId, itemIds };
  const found = await historyOf(stored, identified, referred);
  // Nothing is stored: all but what this connection remembers is refused as over plain HTTP.
  if (found === undefined) return body;
  const { before, items, conversationUntil } = found;
  const resolved = own.map((item, at) => {
    const id = references[at];
    const named = id === undefined ? undefined : items.get(id);
    if (id !== undefined && named === undefined && stored !== undefined) throw new GatewayError(noItem(id, at));
    return named ?? JSON.stringify(item);
  });
  if (stored === undefined) Object.assign(identified.head, { previousId });
  else {
    const state: JsonObject = {
      ...(previousId !== undefined && { previous_response_id: previousId }),
      ...(conversationId !== undefined && { conversation: { id: conversationId } }),
    };
    // What only the connection remembers is stored with the turn that continues it.
    const turn: StoredTurn = found.isOfConnection
      ? { input: `[${[...before, ...resolved].join(',')}]` }
      : { input: `[${resolved.join(',')}]`, previousId, conversationId, conversationUntil };
    Object.assign(identified, { turn });
    Object.assign(identified.head, { state });
  }
  const edits: Edit[] = [
    { name: 'previous_response_id', value: undefined },
    { name: 'conversation', value: undefined },
  ];
  // An input that is not a list is refused as any other.
  if (typeof input === 'string' || isJsonArray(input))
    edits.push({ name: 'input', value: `[${[...before, ...resolved].join(',')}]` });
  const whole = splice(text, members, edits);
  // What was read back takes memory as if the caller had sent it.
  const refusal = room?.reserve(Math.max(0, whole.length - text.length));
  if (refusal !== undefined) throw new GatewayError(refusal);
  return { text: whole };
}

type Found = History & { readonly isOfConnection: boolean };

/** What a connection remembers is not stored, and what is stored is not remembered. */
async function historyOf(
  stored: StoredResponses | undefined,
  { caller, turns }: Identified,
  referred: Referred,
): Promise<Found | undefined> {
  const { previousId, itemIds } = referred;
  const remembered = previousId === undefined ? undefined : turns?.find(previousId);
  if (remembered === undefined) {
    if (stored !== undefined) return { ...(await stored.history(caller.accountId, referred)), isOfConnection: false };
    if (previousId === undefined || turns === undefined) return undefined;
    return { before: turns.require(previousId), items: NO_ITEMS, isOfConnection: true };
  }
  const known = itemIds.length === 0 ? NO_ITEMS : itemsIn(remembered, itemIds);
  const others = itemIds.filter((id) => !known.has(id));
  const more =
    stored === undefined || others.length === 0
      ? NO_ITEMS
      : (await stored.history(caller.accountId, { itemIds: others })).items;
  return { before: remembered, items: new Map([...known, ...more]), isOfConnection: true };
}

const NO_ITEMS: ReadonlyMap<string, string> = new Map();

function itemsIn(texts: readonly string[], ids: readonly string[]): ReadonlyMap<string, string> {
  const wanted = new Set(ids);
  const items: Json = JSON.parse(`[${texts.join(',')}]`);
  const found = new Map<string, string>();
  for (const item of isJsonArray(items) ? items : []) {
    const id = isJsonObject(item) ? stringAt(item, 'id') : undefined;
    if (id !== undefined && wanted.has(id)) found.set(id, JSON.stringify(item));
  }
  return found;
}

/** After the answer: what a request on the same connection may refer to by the id of this response. */
export function rememberTurn(
  turns: ConnectionTurns,
  { text, members }: Pick<Understood, 'text' | 'members'>,
  id: string,
  output: readonly Json[],
): void {
  const input = ownInput(text, members, undefined).slice(1, -1).trim();
  turns.keep(id, [...(input === '' ? [] : [input]), ...output.map((item) => JSON.stringify(item))]);
}

const said = (content: string): JsonObject => ({ type: 'message', role: 'user', content });

const malformed = (field: string, problem: string): GatewayError =>
  new GatewayError({ kind: 'malformed', message: `'${field}' ${problem}.`, field });

const noItem = (id: string, at: number) =>
  ({
    kind: 'unknown-operation',
    message: `Item with id '${id.slice(0, MAX_SHOWN_LENGTH).replaceAll(/[^\x20-\x7e]/g, '?')}' not found.`,
    field: `input[${at}]`,
    code: 'not_found',
  }) as const;
const MAX_SHOWN_LENGTH = 80;

function previousOf(body: JsonObject): string | undefined {
  const id = body['previous_response_id'] ?? undefined;
  if (id !== undefined && typeof id !== 'string') throw malformed('previous_response_id', 'must be a string');
  return id;
}

function conversationOf({ conversation = null }: JsonObject): string | undefined {
  if (conversation === null) return undefined;
  const id = isJsonObject(conversation) ? stringAt(conversation, 'id') : conversation;
  if (typeof id !== 'string') throw malformed('conversation', 'must be an id, or an object with one');
  return id;
}

/** The id that an item names instead of saying what it is. */
function referenceOf(item: Json): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const { type = null, id } = item;
  const isReference = type === 'item_reference' || (type === null && item['role'] === undefined);
  return isReference && typeof id === 'string' ? id : undefined;
}

/** Before the call: its answer is stored before its caller has the last of it. */
export async function keepingAnswer(stored: StoredResponses, understood: Understood): Promise<void> {
  const { reply, wire } = understood;
  const keeping = await stored.keeping(turnOf(understood), reply);
  Object.assign(understood, { reply: keeping, ...(wire !== undefined && { wire: untilSent(wire, keeping) }) });
}

export function turnOf({ id, caller, turn, text, members, longStrings }: Understood): OpenTurn {
  const said = turn ?? { input: ownInput(text, members, longStrings) };
  return { accountId: caller.accountId, id: `resp_${id}`, ...said };
}

function ownInput(text: string, members: Understood['members'], longStrings: Understood['longStrings']): string {
  const member = members.find(({ name }) => name === 'input');
  const input = member === undefined ? '[]' : text.slice(member.valueStart, member.valueEnd);
  const whole = longStrings?.restore(input) ?? input;
  return whole.startsWith('[') ? whole : `[{"type":"message","role":"user","content":${whole}}]`;
}

export const isStored = ({ understanding }: Pick<Understood, 'understanding'>): boolean =>
  understanding.responseOptions.echo?.['store'] === true;

/** A capture ends when the answer has been sent, which is now later than the settlement. */
const untilSent = (wire: WireTape, keeping: KeepingReply): WireTape => ({
  through: (reply) => wire.through(reply),
  attempt: (about) => wire.attempt(about),
  refused: (status, headers, text) => wire.refused(status, headers, text),
  finished: (record) => keeping.afterwards(record, (late) => wire.finished(late)),
  close: () => wire.close(),
});
