/** Members of messages, parts, tools and settings of a chat request that the codec does not read. */
import { isJsonObject, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import { isGiven } from '../checking.ts';
import {
  type Names,
  namesAt,
  namesByTag,
  namesIn,
  namesInsideTag,
  objectsIn,
  UnreadMembers,
} from '../unread-members.ts';
import { readAnnotations } from './citations.ts';
import { typed } from './tidy.ts';
import {
  ChatCallWire,
  MessagesByRole,
  PartsByType,
  ResponseFormatsByType,
  SearchOptions,
  ToolCallsByType,
  ToolsByType,
} from './wire.ts';

const messages = namesByTag(MessagesByRole);
const parts = namesByTag(PartsByType);
const partsInside = namesInsideTag(PartsByType);
/** Clients that assemble streams send the call's index back. */
const calls = namesByTag(ToolCallsByType, 'index');
const callsInside = namesInsideTag(ToolCallsByType);
const tools = namesByTag(ToolsByType);
const toolsInside = namesInsideTag(ToolsByType);
const schemaFormat = namesAt(ResponseFormatsByType.json_schema, 'json_schema');
const reasoning = namesAt(ChatCallWire, 'reasoning');
const search = namesIn(SearchOptions);
const location = namesAt(SearchOptions, 'user_location');
const place = namesAt(SearchOptions, 'user_location.approximate');

export function unreadMembers(body: JsonObject): readonly Loss[] {
  const unread = new UnreadMembers();
  for (const message of objectsIn(body['messages'])) lookAtMessage(message, unread);
  for (const tool of objectsIn(body['tools']).map(typed)) lookTagged(tool, tools, toolsInside, 'tools', unread);
  const format = objectAt(body, 'response_format');
  if (format !== undefined) unread.lookIn(format, 'json_schema', schemaFormat, 'response_format');
  unread.look(body['reasoning'], reasoning, 'reasoning');
  const options = objectAt(body, 'web_search_options');
  if (options === undefined) return unread.losses;
  const path = 'web_search_options';
  unread.look(options, search, path);
  const where = objectAt(options, 'user_location');
  unread.look(where, location, `${path}.user_location`);
  unread.look(where?.['approximate'], place, `${path}.user_location.approximate`);
  return unread.losses;
}

function lookAtMessage(message: JsonObject, unread: UnreadMembers): void {
  unread.look(message, messages.get(stringAt(message, 'role') ?? ''), 'messages');
  for (const part of objectsIn(message['content'])) {
    lookTagged(part, parts, partsInside, 'messages.content', unread);
    if (isGiven(part['cache_control']) && objectAt(part, 'cache_control')?.['type'] !== 'ephemeral')
      unread.look({ cache_control: true }, NO_NAMES, 'messages.content');
  }
  if (losesAnnotations(message)) unread.look({ annotations: true }, NO_NAMES, 'messages');
  for (const call of objectsIn(message['tool_calls']))
    lookTagged(call, calls, callsInside, 'messages.tool_calls', unread);
}

/** Only web citations of a single text part are kept: their offsets count from its first character. */
function losesAnnotations(message: JsonObject): boolean {
  const annotations = objectsIn(message['annotations']);
  if (annotations.length === 0) return false;
  const { content } = message;
  const isWhole = typeof content === 'string' || (Array.isArray(content) && content.length === 1);
  return !isWhole || readAnnotations(message, 0).length < annotations.length;
}

const NO_NAMES: Names = new Set();

/** An object with a type, and its members one level down under the name of the type. */
function lookTagged(
  value: JsonObject,
  outer: ReadonlyMap<string, Names>,
  inner: ReadonlyMap<string, Names>,
  path: string,
  unread: UnreadMembers,
): void {
  const type = stringAt(value, 'type') ?? '';
  unread.look(value, outer.get(type), path);
  const inside = inner.get(type);
  if (inside !== undefined && isJsonObject(value[type])) unread.lookIn(value, type, inside, path);
}
