/** Members of items, parts, tools and settings of a Responses request that the codec does not read. */
import { type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import { type Names, namesAt, namesByTag, namesIn, objectsIn, UnreadMembers } from '../unread-members.ts';
import { isUnread } from './citations.ts';
import { FormatsByType, ItemsByType, PartsByType, ResponsesCallWire, ToolsByType } from './wire.ts';

/** Clients send items back as they were returned, with an id and a status that no other host can use. */
const items = namesByTag(ItemsByType, 'id', 'status');
const parts = namesByTag(PartsByType, 'logprobs');
const functionTool = namesIn(ToolsByType.function);
const customTool = namesIn(ToolsByType.custom);
const place = namesAt(ToolsByType.web_search, 'user_location', 'type');
const text = namesAt(ResponsesCallWire, 'text');
const formats = namesByTag(FormatsByType);
const NO_NAMES: Names = new Set();

export function unreadMembers(body: JsonObject): readonly Loss[] {
  const unread = new UnreadMembers();
  for (const item of objectsIn(body['input'])) {
    unread.look(item, items.get(stringAt(item, 'type') ?? 'message'), 'input');
    lookAtParts(item['content'], 'input.content', unread);
    lookAtParts(item['output'], 'input.output', unread);
  }
  for (const tool of objectsIn(body['tools'])) {
    const type = stringAt(tool, 'type') ?? '';
    if (type === 'function') unread.look(tool, functionTool, 'tools');
    else if (type === 'custom') unread.look(tool, customTool, 'tools');
    else if (type.startsWith('web_search')) unread.lookIn(tool, 'user_location', place, 'tools');
  }
  const wanted = objectAt(body, 'text');
  unread.look(wanted, text, 'text');
  const format = objectAt(wanted, 'format');
  unread.look(format, formats.get(stringAt(format, 'type') ?? ''), 'text.format');
  return unread.losses;
}

function lookAtParts(list: Json | undefined, path: string, unread: UnreadMembers): void {
  for (const part of objectsIn(list)) {
    unread.look(part, parts.get(stringAt(part, 'type') ?? ''), path);
    if (objectsIn(part['annotations']).some(isUnread)) unread.look({ annotations: true }, NO_NAMES, path);
  }
}
