/** Members of messages, blocks, tools and settings of a messages request that the codec does not read. */
import { type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import { type Names, namesAt, namesByTag, namesIn, objectsIn, UnreadMembers } from '../unread-members.ts';
import { isWebSearch, WEB_SEARCH_TYPE } from './check-tools.ts';
import { hasUnknownEffort } from './decode-call.ts';
import {
  BlocksByType,
  CitationsByType,
  CustomTool,
  DocumentSourcesByType,
  ImageSourcesByType,
  MessagesCallWire,
  ThinkingByType,
  WebSearchTool,
} from './wire.ts';

const message: Names = new Set(['role', 'content']);
/** Answers contain the caller of a tool, and clients send it back. */
const blocks = namesByTag(BlocksByType, 'type', 'caller');
const citations = namesByTag(CitationsByType, 'type');
const sources: Readonly<Record<string, ReadonlyMap<string, Names>>> = {
  image: namesByTag(ImageSourcesByType, 'type'),
  document: namesByTag(DocumentSourcesByType, 'type'),
};
const customTool = namesIn(CustomTool, 'type');
const searchTool = namesIn(WebSearchTool, 'type');
const place = namesAt(WebSearchTool, 'user_location');
const cache = namesAt(MessagesCallWire, 'cache_control');
/** A budget and a display are read whatever the type. */
const thinking: Names = new Set(Object.values(ThinkingByType).flatMap((schema) => [...namesIn(schema)]));
const output = namesAt(MessagesCallWire, 'output_config');
const format = namesAt(MessagesCallWire, 'output_config.format');

/** Members of custom tools also reach hosts of this dialect if the request is rebuilt. */
export function unreadMembers(body: JsonObject, forSameDialect: boolean): readonly Loss[] {
  const unread = new UnreadMembers();
  lookAtBlocks(body['system'], 'system', unread);
  for (const each of objectsIn(body['messages'])) {
    unread.look(each, message, 'messages');
    lookAtBlocks(each['content'], 'messages.content', unread);
  }
  for (const tool of objectsIn(body['tools'])) {
    const type = stringAt(tool, 'type') ?? 'custom';
    if (type === 'custom' && !forSameDialect) unread.look(tool, customTool, 'tools');
    if (isWebSearch(tool) && !(forSameDialect && type !== WEB_SEARCH_TYPE)) {
      unread.look(tool, searchTool, 'tools');
      unread.lookIn(tool, 'user_location', place, 'tools');
    }
    unread.lookIn(tool, 'cache_control', cache, 'tools');
  }
  unread.look(body['thinking'], thinking, 'thinking');
  const config = objectAt(body, 'output_config');
  unread.look(config, output, 'output_config');
  unread.look(config?.['format'], format, 'output_config.format');
  if (!hasUnknownEffort(body)) return unread.losses;
  return [...unread.losses, { path: 'output_config.effort', why: 'approximated' }];
}

function lookAtBlocks(list: Json | undefined, path: string, unread: UnreadMembers): void {
  for (const block of objectsIn(list)) {
    const type = stringAt(block, 'type') ?? '';
    unread.look(block, blocks.get(type), path);
    unread.lookIn(block, 'cache_control', cache, path);
    if (type === 'text')
      for (const citation of objectsIn(block['citations']))
        unread.look(citation, citations.get(stringAt(citation, 'type') ?? ''), `${path}.citations`);
    const source = objectAt(block, 'source');
    if (source !== undefined) {
      unread.look(source, sources[type]?.get(stringAt(source, 'type') ?? ''), `${path}.source`);
      lookAtBlocks(source['content'], `${path}.source.content`, unread);
    }
    if (type === 'tool_result' || type === 'search_result') lookAtBlocks(block['content'], `${path}.content`, unread);
  }
}
